/// OpenQASM: gate definitions, calls, operands, barriers and measurements.
#include "qasm_parser.hpp"

#include "wavetrain/base/text.hpp"

#include <algorithm>
#include <cmath>

namespace wavetrain::qasm {

std::vector<Token> Parser::formal_names(std::string_view what) {
    std::vector<Token> names;
    do names.push_back(cursor_->expect_identifier(what));
    while (cursor_->accept(","));
    return names;
}

/// `(a, b) q, r`: the same name twice is an error, other names outside may be shadowed.
void Parser::read_formals(GateDefinition& gate, Formals& formals) {
    std::map<std::string_view, Place> seen;
    const auto add = [&](const Token& name, auto& list, int index) {
        if (is_reserved(name.text, version_))
            error(name, "'{}' is a word of OpenQASM {} and cannot be a name", name.text, version_);
        const auto [first, fresh] = seen.emplace(name.text, cursor_->place(name));
        if (!fresh)
            error(name, "'{}' occurs twice in gate '{}', first at {}:{}:{}", name.text, gate.name,
                  first->second.file, first->second.line, first->second.column);
        list.emplace(std::string(name.text), index);
    };
    formals.gate = gate.name;
    if (cursor_->accept("(") && !cursor_->accept(")")) {
        for (const Token& name : formal_names("a name for a parameter"))
            add(name, formals.parameters, gate.parameters++);
        cursor_->expect(")", "after the parameters");
    }
    for (const Token& name : formal_names("a name for a qubit")) {
        if (cursor_->at("["))
            error(cursor_->peek(), "a gate's qubits are single qubits, without an index");
        add(name, formals.qubits, gate.qubits++);
    }
}

void Parser::gate_definition() {
    cursor_->next();
    const Token name = cursor_->expect_identifier("a name for the gate");
    GateDefinition gate{.name = std::string(name.text)};
    Formals formals;
    read_formals(gate, formals);
    cursor_->expect("{", "before the gate's body");
    while (!cursor_->accept("}")) {
        if (cursor_->peek().kind == TokenKind::end)
            error(name, "the body of gate '{}' has no end: '}}' is missing", name.text);
        body_statement(gate, formals);
    }
    const int index = gates_.add(std::move(gate), cursor_->place(name));
    declare(name, Name::Kind::gate, index);
}

void Parser::opaque_declaration() {
    cursor_->next();
    const Token name = cursor_->expect_identifier("a name for the gate");
    GateDefinition gate{.name = std::string(name.text), .kind = GateDefinition::Kind::opaque};
    Formals formals;
    read_formals(gate, formals);
    end_statement();
    declare(name, Name::Kind::gate, gates_.add(std::move(gate), cursor_->place(name)));
}

void Parser::body_statement(GateDefinition& gate, const Formals& formals) {
    if (cursor_->accept(";")) return;
    const Token word = cursor_->peek();
    if (word.kind != TokenKind::identifier)
        error(word, "expected a gate in the body of '{}', found {}", gate.name, shown(word));
    if (word.text == "barrier") return barrier(&formals);
    const bool modifier_word = has_word("ctrl negctrl inv pow gphase", word.text);
    if (is_reserved(word.text, version_) && !(modifier_word && version_ == 3))
        error(word, "'{}' is not supported in the body of a gate, only gates and barriers",
              word.text);
    Token name;
    Call call = call_head(&formals, name);
    if (!cursor_->at(";")) {
        do call.operands.push_back(formal_operand(formals));
        while (cursor_->accept(","));
    }
    check_counts(call, call.operands.size(), cursor_->place(name));
    for (std::size_t i = 0; i < call.operands.size(); ++i)
        if (std::count(call.operands.begin(), call.operands.end(), call.operands[i]) > 1)
            error(name, "gate '{}' acts on a qubit of '{}' twice", name.text, gate.name);
    end_statement();
    gate.body.push_back(std::move(call));
}

int Parser::formal_operand(const Formals& formals) {
    const Token name = cursor_->expect_identifier("a qubit");
    const auto found = formals.qubits.find(name.text);
    if (found == formals.qubits.end()) {
        std::vector<std::string> known;
        for (const auto& [qubit, index] : formals.qubits) known.push_back(qubit);
        error(name, "'{}' is no qubit of gate '{}'{}", name.text, formals.gate,
              suggestion(name.text, known));
    }
    if (cursor_->at("["))
        error(cursor_->peek(), "'{}' is a single qubit: it has no index in a gate's body",
              name.text);
    return found->second;
}

Modifier Parser::modifier(const Formals* formals) {
    const Token word = cursor_->next();
    only_version_3(word);
    Modifier made;
    if (word.text == "pow") {
        made.kind = Modifier::Kind::power;
        cursor_->expect("(", "and an exponent after 'pow'");
        made.exponent = expression(formals).angle;
        cursor_->expect(")", "after the exponent");
    } else if (word.text != "inv") {
        made.kind =
            word.text == "ctrl" ? Modifier::Kind::control : Modifier::Kind::negative_control;
        const Token where = cursor_->peek(1);
        if (cursor_->accept("(")) {
            constexpr long long kMostControls = 1'000'000;
            const long long count = integer_expression("the number of controls");
            if (count < 1 || count > kMostControls)
                error(where, "{} controls: the number must be at least 1 and fit the operands",
                      count);
            made.count = static_cast<int>(count);
            cursor_->expect(")", "after the number of controls");
        }
    }
    cursor_->expect("@", "after a gate's modifier");
    return made;
}

/// Modifiers, the gate's name and its angles.
Call Parser::call_head(const Formals* formals, Token& name) {
    Call call;
    call.place = cursor_->here();
    const auto at_modifier = [&] {
        const Token& after = cursor_->peek(1);
        return cursor_->at_identifier() && has_word("ctrl negctrl inv pow", cursor_->peek().text) &&
               after.kind == TokenKind::symbol && (after.text == "@" || after.text == "(") &&
               (version_ == 3 || after.text == "@");
    };
    while (at_modifier()) call.modifiers.push_back(modifier(formals));
    name = cursor_->expect_identifier("the name of a gate");
    call.gate = find_gate_named(name, formals);
    call.angles = call_angles(name, formals);
    return call;
}

int Parser::find_gate_named(const Token& name, const Formals* formals) const {
    const auto found = names_.find(name.text);
    if (found != names_.end() && found->second.kind == Name::Kind::gate) return found->second.index;
    if (found != names_.end())
        error(name, "expected a gate: {}", already(name.text, found->second));
    if (formals && formals->gate == name.text)
        error(name, "gate '{}' calls itself: a gate can use only gates defined before it",
              name.text);
    refuse_if_word(name);
    const std::string_view library = library_with(name.text, version_);
    if (!library.empty())
        error(name, "unknown gate '{}': it comes with include \"{}\"", name.text, library);
    error(name, "unknown gate '{}'{}", name.text,
          suggestion(name.text, names_of(Name::Kind::gate)));
}

void Parser::refuse_if_word(const Token& word) const {
    if (is_reserved(word.text, version_) || is_reserved(word.text, 3) || word.text == "defcal")
        error(word, "'{}' cannot stand here", word.text);
}

std::vector<Angle> Parser::call_angles(const Token& name, const Formals* formals) {
    std::vector<Angle> angles;
    if (!cursor_->accept("(") || cursor_->accept(")")) return angles;
    do {
        const Token where = cursor_->peek();
        Angle angle = expression(formals).angle;
        if (!formals && angle.is_constant() && !std::isfinite(angle.value({})))
            error(where, "an angle of gate '{}' is not a finite number", name.text);
        angles.push_back(std::move(angle));
    } while (cursor_->accept(","));
    cursor_->expect(")", "after the angles");
    return angles;
}

void Parser::check_counts(const Call& call, std::size_t operand_count, const Place& place) const {
    const GateDefinition& gate = gates_[call.gate];
    const auto plural = [](int count, std::string_view what) {
        return format("{} {}{}", count, what, count == 1 ? "" : "s");
    };
    if (static_cast<int>(call.angles.size()) != gate.parameters)
        fail_at(place, Kind::usage, "gate '{}' takes {}, not {}", gate.name,
                plural(gate.parameters, "angle"), call.angles.size());
    const int controls = control_count(call.modifiers);
    if (static_cast<int>(operand_count) == controls + gate.qubits) return;
    if (controls == 0)
        fail_at(place, Kind::usage, "gate '{}' takes {}, not {}", gate.name,
                plural(gate.qubits, "qubit"), operand_count);
    fail_at(place, Kind::usage, "gate '{}' with {} takes {}, not {}", gate.name,
            plural(controls, "control"), plural(controls + gate.qubits, "qubit"), operand_count);
}

void Parser::call_statement() {
    Token name;
    Call call = call_head(nullptr, name);
    std::vector<Operand> list;
    if (!cursor_->at(";")) list = operands();
    end_statement();
    check_counts(call, list.size(), cursor_->place(name));
    run_call(std::move(call), list);
}

/// One call, or one for each qubit of the registers among the operands.
void Parser::run_call(Call call, const std::vector<Operand>& list) {
    const Operand* broadcast = nullptr;
    for (const Operand& operand : list) {
        if (!operand.whole) continue;
        if (broadcast && broadcast->count != operand.count)
            fail_at(operand.place, Kind::usage,
                    "registers '{}' ({} qubits) and '{}' ({} qubits) have different sizes",
                    broadcast->text, broadcast->count, operand.text, operand.count);
        broadcast = &operand;
    }
    const int times = broadcast ? broadcast->count : 1;
    call.operands.resize(list.size());
    for (int i = 0; i < times; ++i) {
        for (std::size_t k = 0; k < list.size(); ++k)
            call.operands[k] = list[k].first + (list[k].whole ? i : 0);
        check_operands(call, call.operands);
        gates_.run(call);
    }
}

void Parser::check_operands(const Call& call, std::span<const int> qubits) const {
    std::vector<int> sorted(qubits.begin(), qubits.end());
    std::sort(sorted.begin(), sorted.end());
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end())
        fail_at(call.place, Kind::usage, "gate '{}' acts on qubit {} twice", gates_[call.gate].name,
                qubit_name(*twice));
    if (measured_.empty()) return;
    for (const int qubit : qubits) {
        const auto found = measured_.find(qubit);
        if (found != measured_.end())
            fail_at(call.place, Kind::usage,
                    "gate '{}' acts on qubit {} after it was measured at {}:{}:{}: measuring in "
                    "the middle of a circuit is not supported",
                    gates_[call.gate].name, qubit_name(qubit), found->second.file,
                    found->second.line, found->second.column);
    }
}

std::string Parser::qubit_name(int qubit) const {
    for (const auto& [name, known] : names_) {
        if (known.kind != Name::Kind::qubits) continue;
        const Register& list = registers_[static_cast<std::size_t>(known.index)];
        if (qubit < list.first || qubit - list.first >= list.size) continue;
        return list.scalar ? format("'{}'", name) : format("'{}[{}]'", name, qubit - list.first);
    }
    return format("{}", qubit);
}

Operand Parser::operand(Name::Kind kind, std::string_view what) {
    const Token name = cursor_->expect_identifier(what);
    const auto found = names_.find(name.text);
    if (found == names_.end())
        error(name, "unknown register '{}'{}", name.text, suggestion(name.text, names_of(kind)));
    if (found->second.kind != kind)
        error(name, "expected {}: {}", what, already(name.text, found->second));
    const Register& list = registers_[static_cast<std::size_t>(found->second.index)];
    Operand made{list.first, list.size, !list.scalar, list.name, cursor_->place(name)};
    if (!cursor_->accept("[")) return made;
    const Token where = cursor_->peek();
    if (list.scalar)
        error(name, "'{}' is a single {}, without an index", name.text,
              kind == Name::Kind::bits ? "bit" : "qubit");
    constexpr std::string_view kNoSlices = "slices and index sets are not supported: name single "
                                           "qubits or the whole register";
    if (cursor_->at("{") || cursor_->at(":")) error(where, "{}", kNoSlices);
    const long long index = integer_expression("an index");
    if (cursor_->at(":") || cursor_->at(",")) error(cursor_->peek(), "{}", kNoSlices);
    cursor_->expect("]", "after the index");
    if (index < 0 || index >= list.size)
        error(where, "index {} of register '{}' is out of range: 0 ... {}", index, name.text,
              list.size - 1);
    made.first += static_cast<int>(index);
    made.count = 1;
    made.whole = false;
    made.text = format("{}[{}]", list.name, index);
    return made;
}

std::vector<Operand> Parser::operands() {
    std::vector<Operand> list;
    do list.push_back(operand(Name::Kind::qubits, "a qubit or a register of qubits"));
    while (cursor_->accept(","));
    return list;
}

/// Operands are checked; a barrier changes nothing.
void Parser::barrier(const Formals* formals) {
    cursor_->next();
    if (!cursor_->at(";")) {
        if (formals) {
            do formal_operand(*formals);
            while (cursor_->accept(","));
        } else {
            operands();
        }
    }
    end_statement();
}

/// `measure q -> c;` or, in version 3, `measure q;`.
void Parser::measure_statement() { measure_into(nullptr); }

/// `c = measure q;`, `c[0] = measure q[0];`.
void Parser::assignment() {
    const Token word = cursor_->peek();
    const Operand bits = operand(Name::Kind::bits, "a bit or a register of bits");
    if (!cursor_->accept("="))
        error(word, "'{}' is a register of bits, not a gate: only `{} = measure ...;` is supported",
              word.text, word.text);
    measure_into(&bits);
}

void Parser::measure_into(const Operand* bits) {
    const Token word = cursor_->next();
    if (word.text != "measure")
        error(word, "expected 'measure': bits can only take a measurement's result");
    const Operand qubits = operand(Name::Kind::qubits, "a qubit or a register of qubits");
    Operand target;
    if (!bits && (version_ == 2 || cursor_->at("->"))) {
        cursor_->expect("->", "and a bit after the measured qubit");
        target = operand(Name::Kind::bits, "a bit or a register of bits");
        bits = &target;
    }
    if (bits && bits->count != qubits.count)
        error(word, "'{}' has {} qubits, '{}' has {} bits", qubits.text, qubits.count, bits->text,
              bits->count);
    end_statement();
    for (int i = 0; i < qubits.count; ++i)
        measured_.emplace(qubits.first + i, cursor_->place(word));
}

} // namespace wavetrain::qasm
