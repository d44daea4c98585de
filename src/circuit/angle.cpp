/// Angles: evaluation, reverse-mode derivatives, substitution, text.
#include "wavetrain/circuit/angle.hpp"

#include "wavetrain/base/text.hpp"

#include <algorithm>
#include <cmath>

namespace wavetrain {
namespace {

bool is_binary(Angle::Op op) {
    switch (op) {
    case Angle::Op::add:
    case Angle::Op::subtract:
    case Angle::Op::multiply:
    case Angle::Op::divide:
    case Angle::Op::power: return true;
    default: return false;
    }
}

double compute(Angle::Op op, double a, double b) {
    switch (op) {
    case Angle::Op::add: return a + b;
    case Angle::Op::subtract: return a - b;
    case Angle::Op::multiply: return a * b;
    case Angle::Op::divide: return a / b;
    case Angle::Op::power: return std::pow(a, b);
    case Angle::Op::negate: return -a;
    case Angle::Op::sin: return std::sin(a);
    case Angle::Op::cos: return std::cos(a);
    case Angle::Op::tan: return std::tan(a);
    case Angle::Op::exp: return std::exp(a);
    case Angle::Op::ln: return std::log(a);
    case Angle::Op::sqrt: return std::sqrt(a);
    case Angle::Op::constant:
    case Angle::Op::symbol: break;
    }
    return 0.0;
}

/// d compute / d a, with result = compute(op, a, b).
double left_derivative(Angle::Op op, double a, double b, double result) {
    switch (op) {
    case Angle::Op::add:
    case Angle::Op::subtract: return 1.0;
    case Angle::Op::multiply: return b;
    case Angle::Op::divide: return 1.0 / b;
    case Angle::Op::power: return b == 0.0 ? 0.0 : b * std::pow(a, b - 1.0);
    case Angle::Op::negate: return -1.0;
    case Angle::Op::sin: return std::cos(a);
    case Angle::Op::cos: return -std::sin(a);
    case Angle::Op::tan: return 1.0 + result * result;
    case Angle::Op::exp: return result;
    case Angle::Op::ln: return 1.0 / a;
    case Angle::Op::sqrt: return 0.5 / result;
    case Angle::Op::constant:
    case Angle::Op::symbol: break;
    }
    return 0.0;
}

/// d compute / d b.
double right_derivative(Angle::Op op, double a, double b, double result) {
    switch (op) {
    case Angle::Op::add: return 1.0;
    case Angle::Op::subtract: return -1.0;
    case Angle::Op::multiply: return a;
    case Angle::Op::divide: return -result / b;
    case Angle::Op::power: return a == 0.0 ? 0.0 : result * std::log(a);
    default: return 0.0;
    }
}

std::string_view function_name(Angle::Op op) {
    switch (op) {
    case Angle::Op::sin: return "sin";
    case Angle::Op::cos: return "cos";
    case Angle::Op::tan: return "tan";
    case Angle::Op::exp: return "exp";
    case Angle::Op::ln: return "ln";
    case Angle::Op::sqrt: return "sqrt";
    default: return "";
    }
}

constexpr int kSumPrecedence = 1;
constexpr int kProductPrecedence = 2;
constexpr int kSignPrecedence = 3;
constexpr int kPowerPrecedence = 4;

} // namespace

Angle::Angle(double value) : nodes_{Node{.op = Op::constant, .constant = value}} {}

Angle Angle::symbol(int index) {
    Angle result;
    result.nodes_ = {Node{.op = Op::symbol, .symbol = index}};
    return result;
}

Angle Angle::apply(Op function, const Angle& argument) {
    Angle result = argument;
    if (argument.is_constant()) return Angle(compute(function, argument.value({}), 0.0));
    const int left = static_cast<int>(result.nodes_.size()) - 1;
    result.nodes_.push_back(Node{.op = function, .left = left});
    return result;
}

Angle Angle::power(const Angle& base, const Angle& exponent) {
    return combine(Op::power, base, exponent);
}

Angle Angle::combine(Op op, const Angle& a, const Angle& b) {
    if (a.is_constant() && b.is_constant()) return Angle(compute(op, a.value({}), b.value({})));
    Angle result = a;
    const int left = static_cast<int>(a.nodes_.size()) - 1;
    const int right = result.append(b);
    result.nodes_.push_back(Node{.op = op, .left = left, .right = right});
    return result;
}

int Angle::append(const Angle& other) {
    const int offset = static_cast<int>(nodes_.size());
    for (Node node : other.nodes_) {
        if (node.left >= 0) node.left += offset;
        if (node.right >= 0) node.right += offset;
        nodes_.push_back(node);
    }
    return static_cast<int>(nodes_.size()) - 1;
}

bool Angle::is_constant() const {
    return std::none_of(nodes_.begin(), nodes_.end(),
                        [](const Node& node) { return node.op == Op::symbol; });
}

std::vector<int> Angle::symbols() const {
    std::vector<int> found;
    for (const Node& node : nodes_)
        if (node.op == Op::symbol) found.push_back(node.symbol);
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

void Angle::evaluate(std::span<const double> values, std::span<double> results) const {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        const Node& node = nodes_[i];
        if (node.op == Op::constant)
            results[i] = node.constant;
        else if (node.op == Op::symbol)
            results[i] = values[static_cast<std::size_t>(node.symbol)];
        else
            results[i] =
                compute(node.op, results[static_cast<std::size_t>(node.left)],
                        node.right >= 0 ? results[static_cast<std::size_t>(node.right)] : 0.0);
    }
}

double Angle::value(std::span<const double> values) const {
    if (nodes_.size() == 1) {
        const Node& node = nodes_.front();
        return node.op == Op::constant ? node.constant
                                       : values[static_cast<std::size_t>(node.symbol)];
    }
    std::vector<double> results(nodes_.size());
    evaluate(values, results);
    return results.back();
}

std::vector<Angle::Partial> Angle::gradient(std::span<const double> values) const {
    if (nodes_.size() == 1) {
        if (nodes_.front().op != Op::symbol) return {};
        return {{nodes_.front().symbol, 1.0}};
    }
    std::vector<double> results(nodes_.size());
    evaluate(values, results);
    // Which nodes depend on a symbol at all: others need no derivative (and may have none).
    std::vector<bool> depends(nodes_.size());
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        const Node& node = nodes_[i];
        depends[i] = node.op == Op::symbol ||
                     (node.left >= 0 && depends[static_cast<std::size_t>(node.left)]) ||
                     (node.right >= 0 && depends[static_cast<std::size_t>(node.right)]);
    }
    std::vector<double> adjoint(nodes_.size(), 0.0);
    adjoint.back() = 1.0;
    std::vector<Partial> partials;
    for (int s : symbols()) partials.push_back({s, 0.0});
    for (std::size_t i = nodes_.size(); i-- > 0;) {
        const Node& node = nodes_[i];
        if (!depends[i]) continue;
        if (node.op == Op::symbol) {
            const auto place =
                std::lower_bound(partials.begin(), partials.end(), node.symbol,
                                 [](const Partial& p, int s) { return p.symbol < s; });
            place->derivative += adjoint[i];
            continue;
        }
        const auto left = static_cast<std::size_t>(node.left);
        const double a = results[left];
        const double b = node.right >= 0 ? results[static_cast<std::size_t>(node.right)] : 0.0;
        if (depends[left]) adjoint[left] += adjoint[i] * left_derivative(node.op, a, b, results[i]);
        if (node.right >= 0 && depends[static_cast<std::size_t>(node.right)])
            adjoint[static_cast<std::size_t>(node.right)] +=
                adjoint[i] * right_derivative(node.op, a, b, results[i]);
    }
    return partials;
}

Angle Angle::substitute(std::span<const Angle> replacements) const {
    // Rebuilt from the leaves, so that constants fold again.
    std::vector<Angle> built;
    built.reserve(nodes_.size());
    for (const Node& node : nodes_) {
        if (node.op == Op::constant)
            built.push_back(Angle(node.constant));
        else if (node.op == Op::symbol)
            built.push_back(replacements[static_cast<std::size_t>(node.symbol)]);
        else if (is_binary(node.op))
            built.push_back(combine(node.op, built[static_cast<std::size_t>(node.left)],
                                    built[static_cast<std::size_t>(node.right)]));
        else
            built.push_back(apply(node.op, built[static_cast<std::size_t>(node.left)]));
    }
    return built.back();
}

std::string Angle::text(std::span<const std::string> names) const {
    return node_text(static_cast<int>(nodes_.size()) - 1, 0, names);
}

std::string Angle::node_text(int index, int outer_precedence,
                             std::span<const std::string> names) const {
    const Node& node = nodes_[static_cast<std::size_t>(index)];
    const auto wrap = [&](int precedence, std::string inner) {
        return precedence < outer_precedence ? "(" + inner + ")" : inner;
    };
    if (node.op == Op::constant) {
        // A sign binds like unary minus: -2 inside a power needs brackets.
        return wrap(std::signbit(node.constant) ? kSignPrecedence : kPowerPrecedence + 1,
                    shortest(node.constant));
    }
    if (node.op == Op::symbol) return names[static_cast<std::size_t>(node.symbol)];
    const auto child = [&](int which, int precedence) {
        return node_text(which, precedence, names);
    };
    switch (node.op) {
    case Op::add:
        return wrap(kSumPrecedence, child(node.left, kSumPrecedence) + " + " +
                                        child(node.right, kSumPrecedence + 1));
    case Op::subtract:
        return wrap(kSumPrecedence, child(node.left, kSumPrecedence) + " - " +
                                        child(node.right, kSumPrecedence + 1));
    case Op::multiply:
        return wrap(kProductPrecedence, child(node.left, kProductPrecedence) + "*" +
                                            child(node.right, kProductPrecedence + 1));
    case Op::divide:
        return wrap(kProductPrecedence, child(node.left, kProductPrecedence) + "/" +
                                            child(node.right, kProductPrecedence + 1));
    case Op::power:
        return wrap(kPowerPrecedence, child(node.left, kPowerPrecedence + 1) + "**" +
                                          child(node.right, kPowerPrecedence));
    case Op::negate: return wrap(kSignPrecedence, "-" + child(node.left, kSignPrecedence + 1));
    default: return std::string(function_name(node.op)) + "(" + child(node.left, 0) + ")";
    }
}

} // namespace wavetrain
