/// Circuits: what a user writes, gate by gate, with symbols in the angles.
#pragma once

#include "wavetrain/base/error.hpp"
#include "wavetrain/circuit/angle.hpp"
#include "wavetrain/circuit/gate.hpp"
#include "wavetrain/circuit/qubit.hpp"

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace wavetrain {

/// The most qubits, and the most bits, of any circuit.
inline constexpr std::int64_t kMostQubits = 1'000'000;

/// One gate of a circuit. `gate` is a row without built-in controls: a CX is an X with a control.
struct Operation {
    GateId gate;
    std::vector<Qubit> targets;
    std::vector<Control> controls;
    std::vector<Angle> angles;
    int matrix = -1;    ///< for the row "unitary": index into Circuit::matrices
    std::string paulis; ///< for the row "pauli_rotation": one letter X, Y, Z (or I) per target
    Place place;        ///< where the user wrote it
};

/// An input of a circuit: a name that stands for one number or for an array of them.
struct Input {
    std::string name;
    int first = 0; ///< its first symbol
    int size = 1;  ///< number of symbols
    bool array = false;
};

/// A circuit on qubits 0 ... qubits-1 with free symbols. Symbols are numbered; the inputs say how
/// the user names them.
struct Circuit {
    int qubits = 0;
    std::vector<Input> inputs;
    std::vector<std::string> symbols; ///< "theta", "w[3]": one name per symbol
    std::vector<Operation> operations;
    std::vector<Matrix> matrices;

    /// Declares a number; returns it as an angle. A `usage` error if the name is taken.
    Angle add_input(const std::string& name);
    /// Declares an array of numbers; returns its elements.
    std::vector<Angle> add_array(const std::string& name, int size);
    /// The input with this name, or null.
    const Input* find_input(std::string_view name) const;

    /// Appends a gate of the table. Operands are the gate's own controls, then its targets.
    void add(std::string_view gate, std::initializer_list<int> operands,
             std::vector<Angle> angles = {});
    /// Appends a gate with further controls before its own.
    void add(GateId gate, std::span<const Qubit> operands, std::vector<Angle> angles,
             std::vector<Control> controls = {}, const Place& place = {});
};

/// Checks an operation against its circuit: number of operands and angles, qubits in range and
/// different, matrices square and unitary (to 1e-9 in every entry of U†U), Pauli letters. `usage`
/// errors with the operation's place.
void check_operation(const Circuit& circuit, const Operation& operation);
/// Checks every operation.
void check_circuit(const Circuit& circuit);

/// The inverse operation. A matrix that it needs is appended to `circuit.matrices`.
Operation inverse(Circuit& circuit, const Operation& operation);

/// The unitary on the targets (without the controls) at the given angle values; any operation but a
/// Pauli rotation.
Matrix target_matrix(const Circuit& circuit, const Operation& operation,
                     std::span<const double> angles);
/// Its derivative in angle `which`.
Matrix target_derivative(const Operation& operation, std::span<const double> angles, int which);

/// Sets `values` to those of operation `index`'s angles. A `numeric` error if one is not finite.
void angle_values(const Circuit& circuit, std::size_t index, std::span<const double> symbols,
                  std::vector<double>& values);

/// Targets and controls of an operation, in this order.
std::vector<Qubit> touched_qubits(const Operation& operation);

/// Whether an operation acts on one of its qubits only by a diagonal matrix (controls do): two
/// operations that do so on every qubit that they share commute.
bool acts_diagonally(const Circuit& circuit, const Operation& operation, Qubit qubit);

/// Whether it acts so on all of them: its matrix is diagonal.
bool is_diagonal(const Circuit& circuit, const Operation& operation);

/// The name a user would give an operation: "cx" for an X with one positive control; controls that
/// no row covers come before it as "ctrl" or "negctrl".
std::string operation_name(const Operation& operation);

/// "3 qubits (0 ... 2)", "1 qubit (0)", "no qubits".
std::string qubits_text(int qubits);

/// The frequencies (positive differences of the generator's eigenvalues, 0 among them if there
/// are controls) of expectations in angle `which` of an operation, ascending.
std::vector<double> frequencies(const Operation& operation, int which);

} // namespace wavetrain
