/// The reader of OpenQASM: a recursive-descent parser over the files of one circuit.
#pragma once

#include "qasm_gates.hpp"
#include "qasm_library.hpp"
#include "qasm_token.hpp"

#include "wavetrain/circuit/qasm.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace wavetrain::qasm {

/// What a name stands for.
struct Name {
    enum class Kind { qubits, bits, input, constant, gate };

    Kind kind = Kind::gate;
    int index = 0;              ///< register, input, constant or gate by number
    Place place{};              ///< where the text declared it
    std::string_view library{}; ///< or the include (or language) that brought it
    bool standard = false;      ///< that library's names win
    bool replaceable = false;   ///< a text may define it anew
};

/// A register of qubits or bits.
struct Register {
    std::string name;
    int first = 0;
    int size = 1;
    bool scalar = false; ///< declared without a size
};

/// A number in an expression: an angle, and its value if it is a constant integer.
struct Value {
    Angle angle{};
    std::optional<long long> integer{};
};

/// An operand: a whole register, or one qubit or bit.
struct Operand {
    int first = 0;
    int count = 1;
    bool whole = false; ///< a register, to be broadcast over
    std::string text;   ///< as written
    Place place;
};

/// The names inside a gate's definition.
struct Formals {
    std::map<std::string, int, std::less<>> parameters;
    std::map<std::string, int, std::less<>> qubits;
    std::string gate;
};

/// Reads one text with its includes into a circuit.
class Parser {
public:
    Parser(const TextReader& read, int version);

    /// Reads the main file.
    Circuit run(const std::string& text, const std::string& file);

private:
    // qasm_parser.cpp: files, statements, declarations
    void read_file(const std::string& text, const std::string& file);
    void read_header();
    void statement();
    bool declaration(std::string_view word);
    void include();
    void include_file(const std::string& name, const Token& token);
    void include_library(const Library& library, const Place& place);
    std::map<std::string, Name, std::less<>> library_names(const Library& library);
    Name row_name(std::string_view row);
    void declare_register(bool bits, bool old_style);
    void declare_input();
    void declare_constant();
    void pragma();
    void unitary_pragma(const Token& name);
    void pauli_pragma(const Token& name);
    bool number_type(const Token& type);
    void declare(const Token& name, Name::Kind kind, int index);
    std::string already(std::string_view name, const Name& known) const;
    int size_in_brackets(std::string_view what);
    void end_statement();
    void only_version_3(const Token& word) const;
    [[noreturn]] void refuse(const Token& word) const;

    // qasm_calls.cpp: gates, operands, measurements
    void gate_definition();
    void opaque_declaration();
    std::vector<Token> formal_names(std::string_view what);
    void read_formals(GateDefinition& gate, Formals& formals);
    void body_statement(GateDefinition& gate, const Formals& formals);
    void call_statement();
    Call call_head(const Formals* formals, Token& name);
    Modifier modifier(const Formals* formals);
    void refuse_if_word(const Token& word) const;
    int find_gate_named(const Token& name, const Formals* formals) const;
    std::vector<Angle> call_angles(const Token& name, const Formals* formals);
    void check_counts(const Call& call, std::size_t operands, const Place& place) const;
    void run_call(Call call, const std::vector<Operand>& operands);
    void check_operands(const Call& call, std::span<const int> qubits) const;
    Operand operand(Name::Kind kind, std::string_view what);
    std::vector<Operand> operands();
    int formal_operand(const Formals& formals);
    void barrier(const Formals* formals);
    void measure_statement();
    void measure_into(const Operand* bits);
    void assignment();
    std::string qubit_name(int qubit) const;

    // qasm_expression.cpp
    Value expression(const Formals* formals);
    Value sum(const Formals* formals);
    Value product(const Formals* formals);
    Value signed_power(const Formals* formals);
    Value power(const Formals* formals);
    Value primary(const Formals* formals);
    Value number();
    Value named_value(const Formals* formals);
    Value input_value(const Token& name, const Input& input);
    Value function_call(const Token& name, const Formals* formals);
    Value combine(const Token& sign, const Value& a, const Value& b) const;
    Value raise(const Token& sign, const Value& base, const Value& exponent) const;
    Value checked(const Token& token, Value value) const;
    void deeper(const Token& token);
    long long integer_expression(std::string_view what);
    double constant_expression(std::string_view what);
    std::vector<std::string> names_of(Name::Kind kind) const;

    template <class... Args>
    [[noreturn]] void error(const Token& token, format_string<Args...> text, Args&&... args) const {
        fail_at(cursor_->place(token), Kind::usage, text, std::forward<Args>(args)...);
    }

    const TextReader& read_; // outlives the parser
    int version_;
    Circuit circuit_;
    Gates gates_{circuit_};
    std::map<std::string, Name, std::less<>> names_;
    std::vector<Register> registers_;
    std::vector<Value> constants_;
    std::unordered_map<int, Place> measured_;
    std::map<std::string_view, int> row_gates_;
    std::vector<std::string> open_files_;
    Cursor* cursor_ = nullptr;
    int expression_depth_ = 0;
    int bits_ = 0;
};

} // namespace wavetrain::qasm
