/// OpenQASM: files, statements, declarations.
#include "qasm_parser.hpp"

#include "wavetrain/base/text.hpp"

#include <algorithm>
#include <limits>

namespace wavetrain::qasm {
namespace {

constexpr std::size_t kDeepestInclude = 32;
/// The most elements of an array of inputs.
constexpr long long kLargestArray = 10'000'000;
constexpr std::string_view kNotNames = "pi tau euler π τ ℇ sin cos tan exp ln log sqrt";

/// Words that start a statement which is not a circuit's: refused with the reason.
struct Refusal {
    std::string_view words;
    std::string_view reason;
};

constexpr Refusal kRefusals[] = {
    {"if else switch case default", "what happens must not depend on measured bits"},
    {"for while break continue", "loops are not supported: write the gates out"},
    {"reset", "it is not unitary, and qubits start in 0"},
    {"let", "aliases of registers are not supported: name the register itself"},
    {"def return extern", "subroutines are not supported: define a gate"},
    {"cal defcal defcalgrammar", "pulses are not supported"},
    {"box delay stretch duration nop", "timing is not supported"},
    {"output", "results are asked for outside the circuit"},
    {"end", "a circuit ends where its text ends"},
    {"int uint float angle complex bool array readonly mutable",
     "variables are not supported: declare an `input` or a `const`"},
};

std::string folder_of(const std::string& file) {
    const std::size_t slash = file.rfind('/');
    return slash == std::string::npos ? "" : file.substr(0, slash + 1);
}

} // namespace

Parser::Parser(const TextReader& read, int version) : read_(read), version_(version) {
    include_library(built_in_gates(version), Place{});
}

Circuit Parser::run(const std::string& text, const std::string& file) {
    read_file(text, file);
    return std::move(circuit_);
}

void Parser::read_file(const std::string& text, const std::string& file) {
    Cursor cursor(text, file);
    Cursor* const outer = std::exchange(cursor_, &cursor);
    open_files_.push_back(file);
    read_header();
    while (cursor_->peek().kind != TokenKind::end) statement();
    open_files_.pop_back();
    cursor_ = outer;
}

/// The version was found before; here it must be said rightly, and once.
void Parser::read_header() {
    if (cursor_->peek().text != "OPENQASM" || !cursor_->at_identifier()) return;
    cursor_->next();
    const Token number = cursor_->next();
    const std::string_view text = number.text;
    const bool two = text == "2.0" || text == "2";
    const bool three = text == "3" || text.starts_with("3.");
    if (!two && !three)
        error(number, "OpenQASM {} is not known: versions 2.0 and 3.0 are", shown(number));
    if ((two ? 2 : 3) != version_)
        error(number, "this file is OpenQASM {}, the file that includes it is OpenQASM {}", text,
              version_);
    end_statement();
}

void Parser::statement() {
    if (cursor_->accept(";")) return;
    const Token word = cursor_->peek();
    if (cursor_->at("@")) error(word, "annotations are not supported: nothing is skipped silently");
    if (word.kind != TokenKind::identifier)
        error(word, "expected a statement, found {}", shown(word));
    if (declaration(word.text)) return;
    for (const Refusal& refusal : kRefusals)
        if (has_word(refusal.words, word.text) && is_reserved(word.text, version_)) refuse(word);
    const auto known = names_.find(word.text);
    if (known != names_.end() && known->second.kind == Name::Kind::bits) return assignment();
    call_statement();
}

bool Parser::declaration(std::string_view word) {
    const Token token = cursor_->peek();
    if (word == "OPENQASM") error(token, "the OPENQASM line must be the first statement");
    if (word == "include") return include(), true;
    if (word == "gate") return gate_definition(), true;
    if (word == "opaque") return opaque_declaration(), true;
    if (word == "barrier") return barrier(nullptr), true;
    if (word == "measure") return measure_statement(), true;
    if (word == "qreg" || word == "creg") return declare_register(word == "creg", true), true;
    const bool plain = names_.contains(word); // version 2 may use these words as names
    if (plain && version_ == 2) return false;
    if (word == "qubit" || word == "bit")
        return only_version_3(token), declare_register(word == "bit", false), true;
    if (word == "input") return only_version_3(token), declare_input(), true;
    if (word == "const") return only_version_3(token), declare_constant(), true;
    if (word == "pragma") return only_version_3(token), pragma(), true;
    return false;
}

void Parser::refuse(const Token& word) const {
    for (const Refusal& refusal : kRefusals)
        if (has_word(refusal.words, word.text))
            error(word, "'{}' is not supported: {}", word.text, refusal.reason);
    error(word, "'{}' is not supported", word.text);
}

void Parser::only_version_3(const Token& word) const {
    if (version_ != 3)
        error(word, "'{}' is OpenQASM 3, this text is OpenQASM 2 (its first line decides)",
              word.text);
}

void Parser::end_statement() { cursor_->expect(";", "at the end of the statement"); }

void Parser::include() {
    cursor_->next();
    const Token name = cursor_->next();
    if (name.kind != TokenKind::string)
        error(name, "expected the name of a file in quotes, found {}", shown(name));
    end_statement();
    const Library* library = find_library(name.text);
    if (!library) return include_file(std::string(name.text), name);
    if (library->standard && (library->name == "stdgates.inc") != (version_ == 3))
        error(name, "'{}' belongs to OpenQASM {}, this text is OpenQASM {}", name.text,
              version_ == 3 ? 2 : 3, version_);
    include_library(*library, cursor_->place(name));
}

void Parser::include_file(const std::string& name, const Token& token) {
    const std::string path = name.starts_with('/') ? name : folder_of(cursor_->file()) + name;
    const bool open = std::find(open_files_.begin(), open_files_.end(), path) != open_files_.end();
    if (open) error(token, "'{}' includes itself", path);
    if (open_files_.size() >= kDeepestInclude)
        error(token, "files are included too deeply: more than {} levels", kDeepestInclude);
    std::string text;
    try {
        text = read_(path);
    } catch (const Error& problem) {
        throw Error(problem.kind(), format("cannot include '{}': {}", name, problem.what()),
                    cursor_->place(token), problem.rank());
    }
    read_file(text, path);
}

void Parser::include_library(const Library& library, const Place& place) {
    for (auto& [name, brought] : library_names(library)) {
        brought.library = library.name;
        brought.standard = library.standard;
        brought.replaceable = has_word(library.later, name);
        const auto known = names_.find(name);
        if (known == names_.end())
            names_.emplace(name, brought);
        else if (known->second.library.empty())
            fail_at(place, Kind::usage, "{} brings a gate '{}', but {}", library.name, name,
                    already(name, known->second));
        else if (!known->second.standard)
            known->second = brought;
    }
}

/// Reads the library's text in a scope of its own, where the rows of the gate table are known.
std::map<std::string, Name, std::less<>> Parser::library_names(const Library& library) {
    std::map<std::string, Name, std::less<>> found;
    for (const std::string_view row : library.rows) found[std::string(row)] = row_name(row);
    if (library.text.empty()) return found;
    std::map<std::string, Name, std::less<>> table;
    for (const GateInfo& row : gate_table())
        if (row.targets >= 0) table[std::string(row.name)] = row_name(row.name);
    const auto outer_names = std::exchange(names_, table);
    const int outer_version = std::exchange(version_, 3);
    read_file(std::string(library.text), std::string(library.name));
    version_ = outer_version;
    for (const auto& [name, defined] : std::exchange(names_, outer_names))
        if (!table.contains(name) || table[name].index != defined.index) found[name] = defined;
    return found;
}

Name Parser::row_name(std::string_view row) {
    const auto known = row_gates_.find(row);
    if (known != row_gates_.end())
        return {.kind = Name::Kind::gate, .index = known->second, .replaceable = true};
    const GateId id = gate_id(row);
    const GateInfo& info = gate_info(id);
    GateDefinition gate{.name = std::string(row),
                        .kind = GateDefinition::Kind::table,
                        .parameters = static_cast<int>(info.parameters.size()),
                        .qubits = info.controls + info.targets,
                        .row = id};
    const int index = gates_.add(std::move(gate), Place{});
    row_gates_.emplace(info.name, index);
    return {.kind = Name::Kind::gate, .index = index, .replaceable = true};
}

/// "'h' is already a gate of qelib1.inc" or "... a register, declared at file:line:column".
std::string Parser::already(std::string_view name, const Name& known) const {
    constexpr std::string_view kKinds[] = {"a qubit register", "a bit register", "an input",
                                           "a constant", "a gate"};
    const std::string_view kind = kKinds[static_cast<std::size_t>(known.kind)];
    if (!known.library.empty())
        return format("'{}' is already {} of {}", name, kind, known.library);
    return format("'{}' is already {}, declared at {}:{}:{}", name, kind, known.place.file,
                  known.place.line, known.place.column);
}

void Parser::declare(const Token& name, Name::Kind kind, int index) {
    if (is_reserved(name.text, version_))
        error(name, "'{}' is a word of OpenQASM {} and cannot be a name", name.text, version_);
    if (version_ == 3 && has_word(kNotNames, name.text))
        error(name, "'{}' is a constant or function of OpenQASM 3 and cannot be a name", name.text);
    const auto known = names_.find(name.text);
    const bool replaced =
        known != names_.end() && known->second.replaceable && kind == Name::Kind::gate;
    if (known != names_.end() && !replaced)
        error(name, "{}: gates, registers and variables share one namespace",
              already(name.text, known->second));
    names_[std::string(name.text)] = {.kind = kind, .index = index, .place = cursor_->place(name)};
}

int Parser::size_in_brackets(std::string_view what) {
    const Token where = cursor_->peek(1);
    cursor_->expect("[", "before the size");
    const long long size = integer_expression("a size");
    if (size < 1) error(where, "{} of size {}: the size must be at least 1", what, size);
    if (size > std::numeric_limits<int>::max())
        error(where, "{} of size {} is too large", what, size);
    cursor_->expect("]", "after the size");
    return static_cast<int>(size);
}

/// `qubit[n] q;`, `qreg q[n];` and the same for bits; `bit c = measure q;`.
void Parser::declare_register(bool bits, bool old_style) {
    const Token word = cursor_->next();
    Register made;
    made.scalar = !cursor_->at("[");
    if (!old_style && !made.scalar) made.size = size_in_brackets("a register");
    const Token name = cursor_->expect_identifier("a name for the register");
    made.name = std::string(name.text);
    if (old_style) {
        made.scalar = version_ == 3 && !cursor_->at("[");
        if (!made.scalar) made.size = size_in_brackets("a register");
    }
    int& total = bits ? bits_ : circuit_.qubits;
    if (total + std::int64_t{made.size} > kMostQubits)
        error(word, "too many {}: {}, and a circuit has at most {}", bits ? "bits" : "qubits",
              total + std::int64_t{made.size}, kMostQubits);
    made.first = total;
    declare(name, bits ? Name::Kind::bits : Name::Kind::qubits,
            static_cast<int>(registers_.size()));
    registers_.push_back(made);
    total += made.size;
    if (bits && cursor_->accept("=")) {
        const Operand target{made.first, made.size, !made.scalar, made.name, cursor_->place(name)};
        return measure_into(&target);
    }
    end_statement();
}

/// Takes a type `float`, `float[64]`, `angle[n]`, ...; whether it holds integers.
bool Parser::number_type(const Token& type) {
    const bool integer = type.text == "int" || type.text == "uint";
    if (!integer && type.text != "float" && type.text != "angle")
        error(type, "{} is not supported here: numbers are float or angle", shown(type));
    cursor_->next();
    if (cursor_->at("[")) size_in_brackets("a number");
    return integer;
}

void Parser::declare_input() {
    cursor_->next();
    const Token type = cursor_->peek();
    if (type.text == "int" || type.text == "uint")
        error(type, "an integer input is not supported: inputs are float or angle");
    if (type.text != "array") {
        number_type(type);
        const Token name = cursor_->expect_identifier("a name for the input");
        declare(name, Name::Kind::input, static_cast<int>(circuit_.inputs.size()));
        circuit_.add_input(std::string(name.text));
        return end_statement();
    }
    cursor_->next();
    cursor_->expect("[", "after 'array'");
    if (number_type(cursor_->peek())) error(type, "an array of integers is not supported");
    cursor_->expect(",", "between the elements' type and the size");
    const Token where = cursor_->peek();
    const long long size = integer_expression("the size of an array");
    if (size < 1 || size > kLargestArray)
        error(where, "an array of size {}: the size must be 1 ... {}", size, kLargestArray);
    if (cursor_->at(",")) error(cursor_->peek(), "arrays of one dimension only are supported");
    cursor_->expect("]", "after the array's type");
    const Token name = cursor_->expect_identifier("a name for the input");
    declare(name, Name::Kind::input, static_cast<int>(circuit_.inputs.size()));
    circuit_.add_array(std::string(name.text), static_cast<int>(size));
    end_statement();
}

void Parser::declare_constant() {
    cursor_->next();
    const bool integer = number_type(cursor_->peek());
    const Token name = cursor_->expect_identifier("a name for the constant");
    cursor_->expect("=", "and a value after the constant's name");
    const Token where = cursor_->peek();
    Value value = expression(nullptr);
    if (!value.angle.is_constant()) error(where, "the value of a constant must be constant");
    if (integer && !value.integer) error(where, "this value is not an integer");
    if (!integer) value.integer.reset();
    declare(name, Name::Kind::constant, static_cast<int>(constants_.size()));
    constants_.push_back(value);
    end_statement();
}

void Parser::pragma() {
    cursor_->next();
    const Token word = cursor_->next();
    const Token what = cursor_->peek();
    if (word.text != "wavetrain" || what.kind != TokenKind::identifier)
        error(word,
              "unknown pragma {}: known are 'wavetrain unitary' and 'wavetrain "
              "pauli_rotation'",
              shown(word));
    cursor_->next();
    const bool unitary = what.text == "unitary";
    if (!unitary && what.text != "pauli_rotation") {
        const std::vector<std::string> known = {"unitary", "pauli_rotation"};
        error(what, "unknown pragma 'wavetrain {}': known are unitary and pauli_rotation{}",
              what.text, suggestion(what.text, known));
    }
    const Token name = cursor_->expect_identifier("a name for the gate");
    if (unitary)
        unitary_pragma(name);
    else
        pauli_pragma(name);
    const Token end = cursor_->next();
    if (end.kind != TokenKind::line_end)
        error(end, "expected the end of the pragma's line, found {}", shown(end));
}

/// `pragma wavetrain unitary NAME k [[re,im], ...]`.
void Parser::unitary_pragma(const Token& name) {
    constexpr long long kLargest = 6;
    const Token where = cursor_->peek();
    const long long qubits = integer_expression("the number of qubits");
    if (qubits < 1 || qubits > kLargest)
        error(where, "a unitary matrix acts on 1 to {} qubits, not {}", kLargest, qubits);
    const Token list = cursor_->peek();
    cursor_->expect("[", "before the matrix");
    std::vector<Complex> entries;
    do {
        cursor_->expect("[", "before an entry of the matrix");
        const double real = constant_expression("an entry");
        cursor_->expect(",", "between real and imaginary part");
        entries.emplace_back(real, constant_expression("an entry"));
        cursor_->expect("]", "after an entry of the matrix");
    } while (cursor_->accept(","));
    cursor_->expect("]", "after the matrix");
    const Eigen::Index side = Eigen::Index{1} << qubits;
    if (static_cast<Eigen::Index>(entries.size()) != side * side)
        error(list, "a matrix on {} qubits has {} entries, not {}", qubits, side * side,
              entries.size());
    Matrix matrix(side, side);
    for (Eigen::Index row = 0; row < side; ++row)
        for (Eigen::Index column = 0; column < side; ++column)
            matrix(row, column) = entries[static_cast<std::size_t>(row * side + column)];
    GateDefinition gate{.name = std::string(name.text),
                        .kind = GateDefinition::Kind::matrix,
                        .qubits = static_cast<int>(qubits),
                        .matrix = static_cast<int>(circuit_.matrices.size())};
    // Checked where it is written, on a circuit of its own.
    Circuit alone;
    alone.qubits = gate.qubits;
    alone.matrices = {matrix};
    Operation use;
    use.gate = gate_id("unitary");
    use.matrix = 0;
    use.place = cursor_->place(name);
    for (int q = 0; q < gate.qubits; ++q) use.targets.push_back(Qubit{q});
    check_operation(alone, use);
    circuit_.matrices.push_back(matrix);
    declare(name, Name::Kind::gate, gates_.add(std::move(gate), cursor_->place(name)));
}

/// `pragma wavetrain pauli_rotation NAME WORD`.
void Parser::pauli_pragma(const Token& name) {
    const Token word = cursor_->expect_identifier("a Pauli word such as XY");
    const std::size_t wrong = word.text.find_first_not_of("IXYZ");
    if (wrong != std::string_view::npos)
        error(word, "'{}' is no Pauli word: its letters are I, X, Y, Z", word.text);
    GateDefinition gate{.name = std::string(name.text),
                        .kind = GateDefinition::Kind::paulis,
                        .parameters = 1,
                        .qubits = static_cast<int>(word.text.size()),
                        .paulis = std::string(word.text)};
    declare(name, Name::Kind::gate, gates_.add(std::move(gate), cursor_->place(name)));
}

} // namespace wavetrain::qasm
