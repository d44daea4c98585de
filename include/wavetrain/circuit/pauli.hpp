/// Observables: real linear combinations of Pauli words.
#pragma once

#include "wavetrain/base/error.hpp"
#include "wavetrain/circuit/qubit.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace wavetrain {

/// One factor of a Pauli word.
struct PauliFactor {
    Qubit qubit;
    char pauli; ///< 'X', 'Y' or 'Z'

    auto operator<=>(const PauliFactor&) const = default;
};

/// coefficient * product of factors on different qubits, ascending; no factors: a constant.
struct PauliTerm {
    double coefficient = 1.0;
    std::vector<PauliFactor> factors;

    bool operator==(const PauliTerm&) const = default;
};

/// A sum of terms with different words, in the order in which they first occurred.
struct PauliSum {
    std::vector<PauliTerm> terms;

    bool operator==(const PauliSum&) const = default;
};

/// Reads "0.5*X0*Z1 - Z2 + 0.25". Equal words add up, repeated qubits multiply, `I` is 1. `usage`
/// errors carry `place` with the column counted on from its column: syntax, a product that is not
/// Hermitian (X0*Y0), a coefficient that is not finite.
PauliSum parse_pauli_sum(std::string_view text, const Place& place = {});

/// The sum as text that parse_pauli_sum() reads back.
std::string pauli_text(const PauliSum& sum);

/// The largest qubit index that occurs, -1 for a constant.
int largest_qubit(const PauliSum& sum);

/// The qubits that occur, ascending.
std::vector<Qubit> support(const PauliSum& sum);

} // namespace wavetrain
