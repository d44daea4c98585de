/// Light cones: which gates each observable needs, and which observables share a state.
#pragma once

#include "wavetrain/circuit/circuit.hpp"
#include "wavetrain/circuit/pauli.hpp"

#include <span>
#include <vector>

namespace wavetrain {

/// The part of a circuit that some observables need.
struct ConeShape {
    std::vector<bool> operations; ///< per operation: needed
    std::vector<bool> qubits;     ///< per qubit: touched
    std::vector<int> observables;
};

/// The past light cone of each observable, without the gates that commute out of it. Observables
/// with the same cone share one shape.
std::vector<ConeShape> light_cones(const Circuit& circuit, std::span<const PauliSum> observables);

/// Joins shapes as long as that lowers the estimated cost (amplitudes times gates); at the end
/// chooses the whole circuit if that is cheaper still.
std::vector<ConeShape> join_cones(const Circuit& circuit, std::vector<ConeShape> shapes);

/// One shape with every gate, qubit and observable.
ConeShape whole_circuit(const Circuit& circuit, std::size_t observables);

} // namespace wavetrain
