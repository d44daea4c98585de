/// The dense oracle: what a circuit means, by Kronecker products, sharing no code with the engine.
#pragma once

#include "wavetrain/circuit/circuit.hpp"
#include "wavetrain/circuit/pauli.hpp"

#include <span>
#include <string_view>
#include <vector>

namespace wavetrain::test {

using Vector = Eigen::VectorXcd;

/// The matrix of a row of the gate table on its targets (no controls), from exponentials of its
/// generator that are typed here once more: independent of the table's own matrices. Throws for a
/// row it does not know, so that a new gate needs a second definition.
Matrix reference_matrix(std::string_view gate, std::span<const double> angles);

/// The state that the circuit makes from |0...0>, where symbol s has symbols[s]; 2^qubits
/// amplitudes, qubit 0 the least significant bit of the index.
Vector circuit_state(const Circuit& circuit, std::span<const double> symbols = {});

/// The circuit's unitary, 2^qubits square.
Matrix circuit_unitary(const Circuit& circuit, std::span<const double> symbols = {});

/// The expectation of the observable in the circuit's state.
double expectation(const Circuit& circuit, const PauliSum& observable,
                   std::span<const double> symbols = {});

/// Its derivative in every symbol, by an eighth-order central difference (good to about 1e-11 where
/// the angles are at most a few times the symbols).
std::vector<double> expectation_gradient(const Circuit& circuit, const PauliSum& observable,
                                         std::span<const double> symbols);

/// The derivative of f at x by the same difference.
template <class Function> auto derivative(Function f, double x, double step = 0.02) {
    constexpr double kWeights[] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
    auto sum = f(x + step);
    sum = kWeights[0] * (sum - f(x - step));
    for (int i = 1; i < 4; ++i)
        sum = sum + kWeights[i] * (f(x + (i + 1) * step) - f(x - (i + 1) * step));
    return decltype(sum)(sum / step);
}

/// The largest difference of two entries.
double distance(const Matrix& a, const Matrix& b);
/// The same after the best global phase.
double distance_up_to_phase(const Matrix& a, const Matrix& b);

} // namespace wavetrain::test
