/// Laws that every row of the gate table obeys.
#include "catch.hpp"
#include "oracle.hpp"

#include "wavetrain/base/random.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <numbers>

using namespace wavetrain;
using namespace wavetrain::test;

namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kEpsilon = 1e-13;
/// Eighth-order differences of functions with frequencies up to 4 pi.
constexpr double kDifference = 1e-8;

double angle_of(const GateInfo& row, std::size_t which, int round) {
    const auto index = static_cast<std::uint64_t>(100 * round) + which;
    return 3 * random_uniform(7, Purpose::checks, index,
                              static_cast<std::uint32_t>(row.name.size())) -
           1;
}

std::vector<double> angles_of(const GateInfo& row, int round) {
    std::vector<double> angles;
    for (std::size_t i = 0; i < row.parameters.size(); ++i)
        angles.push_back(angle_of(row, i, round));
    return angles;
}

/// Calls check(row) for all rows that have a matrix of their own.
template <class Check> void for_all_rows(Check check) {
    for (const GateInfo& row : gate_table()) {
        INFO("gate " << row.name);
        if (row.targets >= 0) check(row);
    }
}

/// Some entangling gates before and after the gate that is looked at, as a fixed frame.
void add_frame(Circuit& circuit, double shift) {
    for (int q = 0; q < circuit.qubits; ++q) {
        circuit.add("ry", {q}, {0.4 + 0.3 * q + shift});
        circuit.add("rz", {q}, {0.9 - 0.2 * q + shift});
    }
    for (int q = 0; q + 1 < circuit.qubits; ++q) circuit.add("cx", {q, q + 1});
    for (int q = 0; q < circuit.qubits; ++q) circuit.add("rx", {q}, {0.7 + 0.1 * q - shift});
}

/// frame, gate(symbols) with further controls, frame.
Circuit framed(const GateInfo& row, int controls) {
    Circuit circuit;
    const int own = row.controls + row.targets;
    circuit.qubits = std::max(1, own + controls);
    add_frame(circuit, 0.0);
    std::vector<Angle> angles;
    for (const std::string_view name : row.parameters)
        angles.push_back(circuit.add_input(std::string(name)));
    std::vector<Qubit> operands;
    for (int q = 0; q < own; ++q) operands.push_back(Qubit{own - 1 - q});
    std::vector<Control> extra;
    for (int c = 0; c < controls; ++c) extra.push_back({Qubit{own + c}, c % 2 == 0});
    circuit.add(gate_id(row.name), operands, angles, extra);
    add_frame(circuit, 0.2);
    return circuit;
}

/// The derivative by the general shift rule: sum_k c_k (f(x + s_k) - f(x - s_k)), where the
/// coefficients reproduce every frequency w: sum_k 2 c_k sin(w s_k) = w.
template <class Function>
double shift_rule(Function f, double x, const std::vector<double>& frequencies) {
    const auto count = static_cast<Eigen::Index>(frequencies.size());
    if (count == 0) return 0;
    Eigen::MatrixXd sines(count, count);
    Eigen::VectorXd right(count);
    std::vector<double> shifts;
    for (Eigen::Index k = 0; k < count; ++k)
        shifts.push_back(kPi * (2.0 * static_cast<double>(k) + 1) /
                         (2.0 * static_cast<double>(count) * frequencies.front()));
    // Shifts spread for equidistant frequencies; any regular choice would do.
    for (Eigen::Index r = 0; r < count; ++r) {
        const double w = frequencies[static_cast<std::size_t>(r)];
        right(r) = w;
        for (Eigen::Index k = 0; k < count; ++k)
            sines(r, k) = 2 * std::sin(w * shifts[static_cast<std::size_t>(k)]);
    }
    const Eigen::VectorXd c = sines.colPivHouseholderQr().solve(right);
    double sum = 0;
    for (Eigen::Index k = 0; k < count; ++k) {
        const double s = shifts[static_cast<std::size_t>(k)];
        sum += c(k) * (f(x + s) - f(x - s));
    }
    return sum;
}

Matrix row_matrix(std::string_view name, std::vector<double> angles = {}) {
    return gate_info(gate_id(name)).matrix(angles);
}

} // namespace

TEST_CASE("every matrix is the one that its generator makes", "[circuit][gates]") {
    for_all_rows([](const GateInfo& row) {
        for (int round = 0; round < 5; ++round) {
            const auto angles = angles_of(row, round);
            CHECK(distance(row.matrix(angles), reference_matrix(row.base, angles)) < kEpsilon);
        }
    });
}

TEST_CASE("every matrix is unitary and has the row's size", "[circuit][gates]") {
    for_all_rows([](const GateInfo& row) {
        const Matrix m = row.matrix(angles_of(row, 1));
        REQUIRE(m.rows() == (1 << row.targets));
        CHECK(distance(m.adjoint() * m, Matrix::Identity(m.rows(), m.rows())) < kEpsilon);
    });
}

TEST_CASE("the table says which matrices are diagonal", "[circuit][gates]") {
    for_all_rows([](const GateInfo& row) {
        // At angles in general position no entry vanishes by chance.
        CHECK(row.matrix(angles_of(row, 1)).isDiagonal(kEpsilon) == row.diagonal);
    });
}

TEST_CASE("every derivative is the matrix's", "[circuit][gates]") {
    for_all_rows([](const GateInfo& row) {
        for (std::size_t which = 0; which < row.parameters.size(); ++which) {
            auto angles = angles_of(row, 2);
            const double at = angles[which];
            const Matrix exact = row.derivative(angles, static_cast<int>(which));
            const Matrix difference = derivative(
                [&](double x) {
                    angles[which] = x;
                    return Matrix(row.matrix(angles));
                },
                at);
            CHECK(distance(exact, difference) < kDifference);
        }
    });
}

TEST_CASE("every inverse undoes its gate", "[circuit][gates]") {
    for_all_rows([](const GateInfo& row) {
        Circuit circuit = framed(row, 1);
        circuit.operations.erase(circuit.operations.begin(),
                                 circuit.operations.end()); // the gate alone
        const Circuit whole = framed(row, 1);
        for (const Operation& operation : whole.operations)
            if (!operation.angles.empty() || operation.controls.size() > 0)
                circuit.operations.push_back(operation);
        const std::vector<Operation> forward = circuit.operations;
        for (std::size_t i = forward.size(); i-- > 0;)
            circuit.operations.push_back(inverse(circuit, forward[i]));
        const auto angles = angles_of(row, 3);
        const Matrix unitary = circuit_unitary(circuit, angles);
        CHECK(distance(unitary, Matrix::Identity(unitary.rows(), unitary.rows())) < 100 * kEpsilon);
    });
}

TEST_CASE("the frequencies give the exact shift rule", "[circuit][gates]") {
    for (const int controls : {0, 1}) {
        for_all_rows([&](const GateInfo& row) {
            const Circuit circuit = framed(row, controls);
            const PauliSum observable = parse_pauli_sum(
                circuit.qubits > 1 ? "Z0 + 0.5*X1*Y0 + 0.3*X0 - 0.2*Y1*Z0" : "Z0 - 0.7*X0");
            const auto gate = std::find_if(
                circuit.operations.begin(), circuit.operations.end(), [&](const Operation& one) {
                    return !one.angles.empty() && !one.angles[0].is_constant();
                });
            for (std::size_t which = 0; which < row.parameters.size(); ++which) {
                auto angles = angles_of(row, 4);
                const double at = angles[which];
                const auto f = [&](double x) {
                    angles[which] = x;
                    return expectation(circuit, observable, angles);
                };
                const double shifted =
                    shift_rule(f, at, frequencies(*gate, static_cast<int>(which)));
                CHECK(std::abs(shifted - derivative(f, at, 0.01)) < kDifference);
            }
        });
    }
}

TEST_CASE("powers are rotations with a phase", "[circuit][gates]") {
    const std::pair<const char*, const char*> pairs[] = {
        {"xpow", "rx"},   {"ypow", "ry"},   {"zpow", "rz"},
        {"xxpow", "rxx"}, {"yypow", "ryy"}, {"zzpow", "rzz"},
    };
    for (const auto& [power, rotation] : pairs)
        for (const double t : {-1.3, 0.25, 0.5, 2.0}) {
            INFO(power << " " << t);
            const Complex phase = std::polar(1.0, kPi * t / 2);
            CHECK(distance(row_matrix(power, {t}), phase * row_matrix(rotation, {kPi * t})) <
                  kEpsilon);
        }
    CHECK(distance(row_matrix("xpow", {1.0}), row_matrix("x")) < kEpsilon);
    CHECK(distance(row_matrix("hpow", {1.0}), row_matrix("h")) < kEpsilon);
    CHECK(distance(row_matrix("swappow", {1.0}), row_matrix("swap")) < kEpsilon);
    CHECK(distance(row_matrix("iswappow", {1.0}), row_matrix("iswap")) < kEpsilon);
    CHECK(distance(row_matrix("fsim", {-kPi / 2, 0.0}), row_matrix("iswap")) < kEpsilon);
    CHECK(distance(row_matrix("sx") * row_matrix("sx"), row_matrix("x")) < kEpsilon);
}

TEST_CASE("controlled phases count: CRX(pi) is not CX", "[circuit][gates]") {
    // B30: H on both, the controlled gate, then <X> and <Y> of the control.
    const auto read = [](std::string_view gate, std::vector<Angle> angles) {
        Circuit circuit;
        circuit.qubits = 2;
        circuit.add("h", {0});
        circuit.add("h", {1});
        circuit.add(gate, {0, 1}, std::move(angles));
        return std::pair(expectation(circuit, parse_pauli_sum("X0")),
                         expectation(circuit, parse_pauli_sum("Y0")));
    };
    const auto close = [](std::pair<double, double> a, double x, double y) {
        return std::abs(a.first - x) < 1e-10 && std::abs(a.second - y) < 1e-10;
    };
    CHECK(close(read("crx", {kPi}), 0, -1));
    CHECK(close(read("crx", {0.5}), 0.9689124217, -0.2474039593));
    CHECK(close(read("cxpow", {1.0}), 1, 0));
    CHECK(close(read("cxpow", {0.5}), 1, 0));
    CHECK(close(read("cx", {}), 1, 0));
}

TEST_CASE("every row can be found by its name", "[circuit][gates]") {
    for (const GateInfo& row : gate_table()) {
        INFO("gate " << row.name);
        CHECK(gate_info(gate_id(row.name)).name == row.name);
        CHECK(find_gate(row.base).has_value());
        CHECK(find_gate(row.inverse).has_value());
        CHECK(row.spectra.size() == row.parameters.size());
        CHECK(row.inverse_angles.size() == row.parameters.size());
    }
    CHECK_FALSE(find_gate("no such gate"));
    CHECK_THROWS_AS(gate_id("no such gate"), Error);
}
