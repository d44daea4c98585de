/// The gate table: one row per gate, everything else is derived from it.
#pragma once

#include "wavetrain/circuit/matrix.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace wavetrain {

/// How the angles of the inverse follow from the gate's own: new[i] = sign * old[source].
struct InverseAngle {
    int source;
    double sign;
};

/// A row of the gate table. Conventions: RX(theta) = exp(-i theta X / 2), and X^t =
/// exp(i pi t / 2) RX(pi t); the first target is the most significant bit of a matrix index, as
/// tensor products are written.
struct GateInfo {
    std::string_view name;    ///< lower case, as in OpenQASM: "rx", "xpow"
    std::string_view label;   ///< in drawings: "RX", "X^t"
    std::string_view meaning; ///< the formula, for docs and help
    int controls = 0;         ///< built-in positive controls, operands before the targets
    int targets = 1;          ///< -1: given by the matrix or the Pauli word
    std::vector<std::string_view> parameters{}; ///< names of the angles
    std::string_view base;    ///< the row that acts on the targets (the gate itself without
                              ///< controls)
    std::string_view inverse; ///< the row of the inverse
    std::vector<InverseAngle> inverse_angles{};
    /// Per angle: eigenvalues g of the generator, U(theta) = exp(-i g theta); their differences are
    /// the frequencies of every expectation in that angle (the shift rule follows from them). An
    /// angle that enters U and its inverse twice (phased gates) lists values with those
    /// differences.
    std::vector<std::vector<double>> spectra{};
    /// True if the matrix is diagonal for all angles.
    bool diagonal = false;
    /// The unitary on the targets, 2^targets square, without the controls.
    Matrix (*matrix)(std::span<const double> angles) = nullptr;
    /// Its derivative in one angle.
    Matrix (*derivative)(std::span<const double> angles, int which) = nullptr;
};

/// A row of the gate table, by number.
struct GateId {
    int row = 0;

    bool operator==(const GateId&) const = default;
};

/// All rows.
std::span<const GateInfo> gate_table();
/// The row with this number.
const GateInfo& gate_info(GateId gate);
/// The row with this name, if there is one.
std::optional<GateId> find_gate(std::string_view name);
/// The row with this name; a `bug` if there is none.
GateId gate_id(std::string_view name);
/// All names, in the table's order.
std::vector<std::string> gate_names();

/// The Pauli matrix of 'I', 'X', 'Y' or 'Z'.
Matrix pauli_matrix(char pauli);
/// The tensor product, first factor most significant.
Matrix kron(const Matrix& a, const Matrix& b);

} // namespace wavetrain
