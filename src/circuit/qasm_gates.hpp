/// Gates of an OpenQASM text: definitions, calls, and their expansion into operations.
#pragma once

#include "wavetrain/circuit/circuit.hpp"

#include <deque>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace wavetrain::qasm {

/// One of `ctrl @`, `negctrl @`, `inv @`, `pow(k) @`.
struct Modifier {
    enum class Kind { control, negative_control, inverse, power };

    Kind kind = Kind::inverse;
    int count = 1;    ///< of controls
    Angle exponent{}; ///< of a power
};

/// A call of a gate. In a gate's body the angles' symbols are the parameters by number and the
/// operands are the formal qubits by number; outside they are the circuit's.
struct Call {
    int gate = 0;
    std::vector<Modifier> modifiers; ///< as written: the last applies first
    std::vector<Angle> angles;
    std::vector<int> operands; ///< controls of the modifiers first, in their order
    Place place;
};

/// A gate that can be called.
struct GateDefinition {
    enum class Kind { table, body, matrix, paulis, opaque };

    std::string name;
    Kind kind = Kind::body;
    int parameters = 0;
    int qubits = 0;
    GateId row{};             ///< of kind `table`
    int matrix = -1;          ///< of kind `matrix`: index into Circuit::matrices
    std::string paulis{};     ///< of kind `paulis`: the word
    std::vector<Call> body{}; ///< of kind `body`
    double work = 1;          ///< calls and operations it expands to
    int depth = 1;            ///< levels of definitions below and with it
};

/// The most operations that a circuit may expand to.
constexpr double kMostOperations = 10e6;
/// The most levels of nested gate definitions.
constexpr int kDeepestGates = 500;
/// The most nodes of an angle.
constexpr std::size_t kLargestAngle = 2000;

/// The number of control operands that the modifiers ask for.
int control_count(std::span<const Modifier> modifiers);

/// All gates of a text, by number, and their expansion.
class Gates {
public:
    explicit Gates(Circuit& circuit) : circuit_(circuit) {}

    /// Adds a gate; its body may call earlier ones only. A `usage` error at `place` if gates are
    /// nested too deeply.
    int add(GateDefinition definition, const Place& place);
    const GateDefinition& operator[](int gate) const {
        return definitions_[static_cast<std::size_t>(gate)];
    }
    /// Appends the operations of a call outside all definitions to the circuit. Operands must be
    /// different and of the right number.
    void run(const Call& call);

private:
    void apply(int gate, std::span<const Modifier> modifiers, std::span<const Angle> angles,
               std::span<const int> qubits);
    void emit(int gate, std::span<const Angle> angles, std::span<const int> qubits);
    void emit_body(const GateDefinition& gate, std::span<const Angle> angles,
                   std::span<const int> qubits);
    void control(std::size_t from, Qubit qubit, bool value);
    void invert(std::size_t from);
    void raise(std::size_t from, const Angle& exponent, std::string_view name);
    void repeat(std::size_t from, double times);
    Operation inverse_of(const Operation& operation);
    Angle insert(const Angle& angle, std::span<const Angle> replacements) const;
    void count_step(double steps = 1);

    Circuit& circuit_;
    std::deque<GateDefinition> definitions_;
    std::map<int, int> inverse_matrices_;
    Place place_; // of the outermost call
    double steps_ = 0;
};

/// The operation to the power k, if it has one whose angle scales.
bool raise_operation(Operation& operation, const Angle& exponent);

} // namespace wavetrain::qasm
