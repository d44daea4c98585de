/// Expressions of OpenQASM: numbers, constants, inputs, functions.
#include "qasm_parser.hpp"

#include "wavetrain/base/text.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace wavetrain::qasm {
namespace {

/// The most brackets, signs, powers and functions inside one another.
constexpr int kDeepestExpression = 100;

std::optional<double> named_constant(std::string_view name, int version) {
    if (name == "pi") return std::numbers::pi;
    if (version == 2) return std::nullopt;
    if (name == "π") return std::numbers::pi;
    if (name == "tau" || name == "τ") return 2 * std::numbers::pi;
    if (name == "euler" || name == "ℇ") return std::numbers::e;
    return std::nullopt;
}

std::optional<Angle::Op> function_named(std::string_view name, int version) {
    if (name == "sin") return Angle::Op::sin;
    if (name == "cos") return Angle::Op::cos;
    if (name == "tan") return Angle::Op::tan;
    if (name == "exp") return Angle::Op::exp;
    if (name == "ln" || (name == "log" && version == 3)) return Angle::Op::ln;
    if (name == "sqrt") return Angle::Op::sqrt;
    return std::nullopt;
}

std::string without_underscores(std::string_view text) {
    std::string plain(text);
    plain.erase(std::remove(plain.begin(), plain.end(), '_'), plain.end());
    return plain;
}

/// The value of a literal in base 2, 8, 10 or 16, if it fits.
std::optional<long long> integer_literal(const std::string& text) {
    int base = 10;
    std::size_t start = 0;
    if (text.size() > 2 && text[0] == '0' && !(text[1] >= '0' && text[1] <= '9')) {
        const char letter = text[1];
        base = letter == 'x' || letter == 'X' ? 16 : letter == 'o' || letter == 'O' ? 8 : 2;
        start = 2;
    }
    long long value = 0;
    for (std::size_t i = start; i < text.size(); ++i) {
        const char c = text[i];
        const int digit = c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
        if (digit >= base || __builtin_mul_overflow(value, base, &value) ||
            __builtin_add_overflow(value, digit, &value))
            return std::nullopt;
    }
    return value;
}

Value whole(long long value) { return {Angle(static_cast<double>(value)), value}; }

} // namespace

void Parser::deeper(const Token& token) {
    if (++expression_depth_ > kDeepestExpression)
        error(token, "this expression is nested too deeply: more than {} levels",
              kDeepestExpression);
}

Value Parser::checked(const Token& token, Value value) const {
    if (value.angle.size() > kLargestAngle)
        error(token, "this expression is too long: more than {} numbers and operators",
              kLargestAngle);
    return value;
}

Value Parser::expression(const Formals* formals) {
    expression_depth_ = 0;
    return sum(formals);
}

Value Parser::sum(const Formals* formals) {
    Value value = product(formals);
    while (cursor_->at("+") || cursor_->at("-")) {
        const Token sign = cursor_->next();
        value = combine(sign, value, product(formals));
    }
    return value;
}

Value Parser::product(const Formals* formals) {
    Value value = signed_power(formals);
    while (cursor_->at("*") || cursor_->at("/")) {
        const Token sign = cursor_->next();
        value = combine(sign, value, signed_power(formals));
    }
    return value;
}

Value Parser::signed_power(const Formals* formals) {
    const Token first = cursor_->peek();
    bool negative = false;
    while (cursor_->at("+") || cursor_->at("-")) negative ^= cursor_->next().text == "-";
    deeper(first);
    const Value value = power(formals);
    --expression_depth_;
    if (!negative) return value;
    if (value.integer) return whole(-*value.integer);
    return checked(first, {-value.angle, std::nullopt});
}

Value Parser::power(const Formals* formals) {
    const Value base = primary(formals);
    const Token sign = cursor_->peek();
    if (cursor_->at("^") && version_ == 3)
        error(sign, "'^' is bitwise in OpenQASM 3: write a power as '**'");
    if (cursor_->at("%")) error(sign, "the operator '%' is not supported");
    if (!cursor_->accept("**") && !cursor_->accept("^")) return base;
    // From the right, and before a sign: a ** b ** c, 2 ** -1.
    return raise(sign, base, signed_power(formals));
}

Value Parser::combine(const Token& sign, const Value& a, const Value& b) const {
    const char operation = sign.text.front();
    if (a.integer && b.integer) {
        const long long x = *a.integer;
        const long long y = *b.integer;
        long long result = 0;
        if (operation == '/' && version_ == 3) {
            if (y == 0) error(sign, "division by zero");
            // With a remainder the quotient is meant, as in the specification's own pow(1/2).
            if (x % y == 0) return whole(x / y);
        }
        const bool too_large = operation == '+'   ? __builtin_add_overflow(x, y, &result)
                               : operation == '-' ? __builtin_sub_overflow(x, y, &result)
                               : operation == '*' ? __builtin_mul_overflow(x, y, &result)
                                                  : true;
        if (operation != '/') {
            if (too_large || result == std::numeric_limits<long long>::min())
                error(sign, "this integer does not fit into 64 bits");
            return whole(result);
        }
    }
    switch (operation) {
    case '+': return checked(sign, {a.angle + b.angle, std::nullopt});
    case '-': return checked(sign, {a.angle - b.angle, std::nullopt});
    case '*': return checked(sign, {a.angle * b.angle, std::nullopt});
    default: return checked(sign, {a.angle / b.angle, std::nullopt});
    }
}

Value Parser::raise(const Token& sign, const Value& base, const Value& exponent) const {
    const Angle angle = Angle::power(base.angle, exponent.angle);
    if (base.integer && exponent.integer && *exponent.integer >= 0) {
        const double value = angle.value({});
        if (std::abs(value) < 0x1p53) return whole(static_cast<long long>(value));
    }
    return checked(sign, {angle, std::nullopt});
}

Value Parser::primary(const Formals* formals) {
    const Token token = cursor_->peek();
    if (token.kind == TokenKind::integer || token.kind == TokenKind::real) return number();
    if (token.kind == TokenKind::identifier) return named_value(formals);
    if (cursor_->accept("(")) {
        deeper(token);
        const Value value = sum(formals);
        --expression_depth_;
        cursor_->expect(")", "to close the bracket");
        return value;
    }
    error(token, "expected a number, a name or a bracket, found {}", shown(token));
}

Value Parser::number() {
    const Token token = cursor_->next();
    const std::string text = without_underscores(token.text);
    if (token.kind == TokenKind::integer) {
        if (const auto value = integer_literal(text)) return whole(*value);
        if (text.find_first_not_of("0123456789") != std::string::npos)
            error(token, "'{}' is not an integer of at most 64 bits", token.text);
    }
    const auto value = parse_double(text.ends_with('.') ? text + "0" : text);
    if (!value || !std::isfinite(*value)) error(token, "'{}' is not a finite number", token.text);
    return {Angle(*value), std::nullopt};
}

Value Parser::named_value(const Formals* formals) {
    const Token name = cursor_->next();
    if (formals) {
        const auto parameter = formals->parameters.find(name.text);
        if (parameter != formals->parameters.end()) {
            if (cursor_->at("[")) error(name, "parameter '{}' is a number", name.text);
            return {Angle::symbol(parameter->second), std::nullopt};
        }
        if (formals->qubits.contains(name.text))
            error(name, "'{}' is a qubit of gate '{}', not a number", name.text, formals->gate);
    }
    if (cursor_->at("(")) return function_call(name, formals);
    const auto found = names_.find(name.text);
    if (found == names_.end()) {
        if (const auto value = named_constant(name.text, version_))
            return {Angle(*value), std::nullopt};
        std::vector<std::string> known = names_of(Name::Kind::input);
        for (const std::string& other : names_of(Name::Kind::constant)) known.push_back(other);
        if (formals)
            for (const auto& [parameter, index] : formals->parameters) known.push_back(parameter);
        known.push_back("pi");
        error(name, "unknown name '{}'{}", name.text, suggestion(name.text, known));
    }
    const Name& known = found->second;
    if (known.kind == Name::Kind::constant)
        return constants_[static_cast<std::size_t>(known.index)];
    if (known.kind != Name::Kind::input)
        error(name, "expected a number: {}", already(name.text, known));
    if (formals)
        error(name,
              "gate '{}' can use only its own parameters and constants, not the input '{}': give "
              "the gate a parameter",
              formals->gate, name.text);
    return input_value(name, circuit_.inputs[static_cast<std::size_t>(known.index)]);
}

Value Parser::input_value(const Token& name, const Input& input) {
    const Token bracket = cursor_->peek();
    const bool indexed = cursor_->accept("[");
    if (!input.array) {
        if (indexed) error(bracket, "input '{}' is a number, not an array", name.text);
        return {Angle::symbol(input.first), std::nullopt};
    }
    if (!indexed)
        error(name, "input '{}' is an array of {} numbers: write {}[0] ... {}[{}]", name.text,
              input.size, name.text, name.text, input.size - 1);
    const Token where = cursor_->peek();
    const long long index = integer_expression("an index");
    if (index < 0 || index >= input.size)
        error(where, "index {} of '{}' is out of range: 0 ... {}", index, name.text,
              input.size - 1);
    cursor_->expect("]", "after the index");
    return {Angle::symbol(input.first + static_cast<int>(index)), std::nullopt};
}

Value Parser::function_call(const Token& name, const Formals* formals) {
    const auto function = function_named(name.text, version_);
    const bool power = name.text == "pow" && version_ == 3;
    if (!function && !power) {
        const std::vector<std::string> known = {"sin", "cos", "tan", "exp", "ln", "sqrt"};
        error(name, "unknown function '{}': known are sin, cos, tan, exp, ln, sqrt{}", name.text,
              suggestion(name.text, known));
    }
    deeper(name);
    cursor_->expect("(", "after the function's name");
    const Value first = sum(formals);
    Value result;
    if (power) {
        cursor_->expect(",", "between base and exponent");
        result = raise(name, first, sum(formals));
    } else {
        result = checked(name, {Angle::apply(*function, first.angle), std::nullopt});
    }
    cursor_->expect(")", "after the function's argument");
    --expression_depth_;
    return result;
}

long long Parser::integer_expression(std::string_view what) {
    const Token token = cursor_->peek();
    const Value value = sum(nullptr);
    if (!value.integer) error(token, "{} must be a constant integer", what);
    return *value.integer;
}

double Parser::constant_expression(std::string_view what) {
    const Token token = cursor_->peek();
    const Value value = expression(nullptr);
    if (!value.angle.is_constant() || !std::isfinite(value.angle.value({})))
        error(token, "{} must be a finite constant", what);
    return value.angle.value({});
}

std::vector<std::string> Parser::names_of(Name::Kind kind) const {
    std::vector<std::string> names;
    for (const auto& [name, known] : names_)
        if (known.kind == kind) names.push_back(name);
    return names;
}

} // namespace wavetrain::qasm
