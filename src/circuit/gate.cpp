/// The gate table itself: rows, matrices, derivatives.
#include "wavetrain/circuit/gate.hpp"

#include "wavetrain/base/error.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace wavetrain {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr Complex kI{0.0, 1.0};

using Angles = std::span<const double>;

Complex phase(double angle) { return {std::cos(angle), std::sin(angle)}; }

template <char P> Matrix pauli(Angles) { return pauli_matrix(P); }

Matrix hadamard() {
    Matrix m(2, 2);
    m << 1, 1, 1, -1;
    return m / std::sqrt(2.0);
}

Matrix swap_matrix() {
    Matrix m = Matrix::Zero(4, 4);
    m(0, 0) = m(1, 2) = m(2, 1) = m(3, 3) = 1;
    return m;
}

/// The involutions (P * P = 1) that rotations and powers are made of.
enum class Involution { x, y, z, h, swap, xx, yy, zz };

template <Involution P> const Matrix& involution() {
    static const Matrix m = [] {
        switch (P) {
        case Involution::x: return pauli_matrix('X');
        case Involution::y: return pauli_matrix('Y');
        case Involution::z: return pauli_matrix('Z');
        case Involution::h: return hadamard();
        case Involution::swap: return swap_matrix();
        case Involution::xx: return kron(pauli_matrix('X'), pauli_matrix('X'));
        case Involution::yy: return kron(pauli_matrix('Y'), pauli_matrix('Y'));
        case Involution::zz: return kron(pauli_matrix('Z'), pauli_matrix('Z'));
        }
        return Matrix();
    }();
    return m;
}

template <Involution P> Matrix fixed(Angles) { return involution<P>(); }

/// one * 1 + other * P.
template <Involution P> Matrix combination(Complex one, Complex other) {
    Matrix m = other * involution<P>();
    m.diagonal().array() += one;
    return m;
}

/// exp(-i theta P / 2) = cos(theta/2) - i sin(theta/2) P.
template <Involution P> Matrix rotation(Angles a) {
    return combination<P>(std::cos(a[0] / 2), {0.0, -std::sin(a[0] / 2)});
}

template <Involution P> Matrix rotation_derivative(Angles a, int) {
    return combination<P>(-0.5 * std::sin(a[0] / 2), {0.0, -0.5 * std::cos(a[0] / 2)});
}

/// P^t = (1 + P)/2 + exp(i pi t) (1 - P)/2.
template <Involution P> Matrix power(Angles a) {
    const Complex e = phase(kPi * a[0]);
    return combination<P>(0.5 * (1.0 + e), 0.5 * (1.0 - e));
}

template <Involution P> Matrix power_derivative(Angles a, int) {
    const Complex e = 0.5 * kPi * kI * phase(kPi * a[0]);
    return combination<P>(e, -e);
}

/// P^(k/4) for the named roots: S, T, SX and their inverses.
template <Involution P, int Quarters> Matrix root(Angles) {
    const double exponent = Quarters / 4.0;
    return power<P>(Angles(&exponent, 1));
}

Matrix phase_gate(Angles a) {
    Matrix m = Matrix::Identity(2, 2);
    m(1, 1) = phase(a[0]);
    return m;
}

Matrix phase_gate_derivative(Angles a, int) {
    Matrix m = Matrix::Zero(2, 2);
    m(1, 1) = kI * phase(a[0]);
    return m;
}

/// Qiskit's U(theta, phi, lambda) = P(phi) RY(theta) P(lambda).
Matrix u3(Angles a) {
    const double c = std::cos(a[0] / 2);
    const double s = std::sin(a[0] / 2);
    Matrix m(2, 2);
    m << c, -phase(a[2]) * s, phase(a[1]) * s, phase(a[1] + a[2]) * c;
    return m;
}

Matrix u3_derivative(Angles a, int which) {
    const double c = std::cos(a[0] / 2);
    const double s = std::sin(a[0] / 2);
    Matrix m = Matrix::Zero(2, 2);
    if (which == 0)
        m << -0.5 * s, -0.5 * c * phase(a[2]), 0.5 * c * phase(a[1]), -0.5 * s * phase(a[1] + a[2]);
    else if (which == 1)
        m << 0, 0, kI * phase(a[1]) * s, kI * phase(a[1] + a[2]) * c;
    else
        m << 0, -kI * phase(a[2]) * s, 0, kI * phase(a[1] + a[2]) * c;
    return m;
}

/// Qiskit's R(theta, phi): a rotation by theta about cos(phi) X + sin(phi) Y.
Matrix r_gate(Angles a) {
    const double c = std::cos(a[0] / 2);
    const Complex s = -kI * std::sin(a[0] / 2);
    Matrix m(2, 2);
    m << c, s * phase(-a[1]), s * phase(a[1]), c;
    return m;
}

Matrix r_gate_derivative(Angles a, int which) {
    Matrix m(2, 2);
    if (which == 0) {
        const double c = -0.5 * std::sin(a[0] / 2);
        const Complex s = -0.5 * kI * std::cos(a[0] / 2);
        m << c, s * phase(-a[1]), s * phase(a[1]), c;
    } else {
        const double s = std::sin(a[0] / 2);
        m << 0, -s * phase(-a[1]), s * phase(a[1]), 0;
    }
    return m;
}

/// A 4x4 matrix that is 1 on |00>, `last` on |11> and the given 2x2 block on |01>, |10>.
Matrix middle(Complex m11, Complex m12, Complex m21, Complex m22, Complex first, Complex last) {
    Matrix m = Matrix::Zero(4, 4);
    m(0, 0) = first;
    m(1, 1) = m11;
    m(1, 2) = m12;
    m(2, 1) = m21;
    m(2, 2) = m22;
    m(3, 3) = last;
    return m;
}

Matrix iswap(Angles) { return middle(0, kI, kI, 0, 1, 1); }
Matrix iswap_inverse(Angles) { return middle(0, -kI, -kI, 0, 1, 1); }

Matrix iswap_power(Angles a) {
    const double c = std::cos(kPi * a[0] / 2);
    const Complex s = kI * std::sin(kPi * a[0] / 2);
    return middle(c, s, s, c, 1, 1);
}

Matrix iswap_power_derivative(Angles a, int) {
    const double c = -kPi / 2 * std::sin(kPi * a[0] / 2);
    const Complex s = kI * (kPi / 2) * std::cos(kPi * a[0] / 2);
    return middle(c, s, s, c, 0, 0);
}

/// Cirq's FSimGate: iSWAP-like exchange by -theta, and exp(-i phi) on |11>.
Matrix fsim(Angles a) {
    const Complex s = -kI * std::sin(a[0]);
    return middle(std::cos(a[0]), s, s, std::cos(a[0]), 1, phase(-a[1]));
}

Matrix fsim_derivative(Angles a, int which) {
    if (which == 1) return middle(0, 0, 0, 0, 0, -kI * phase(-a[1]));
    const Complex s = -kI * std::cos(a[0]);
    return middle(-std::sin(a[0]), s, s, -std::sin(a[0]), 0, 0);
}

/// Z^p X^t Z^-p.
Matrix phased_x(Angles a) {
    const Complex same = 0.5 * (1.0 + phase(kPi * a[1]));
    const Complex flip = 0.5 * (1.0 - phase(kPi * a[1]));
    Matrix m(2, 2);
    m << same, flip * phase(-kPi * a[0]), flip * phase(kPi * a[0]), same;
    return m;
}

Matrix phased_x_derivative(Angles a, int which) {
    Matrix m(2, 2);
    if (which == 0) {
        const Complex flip = 0.5 * (1.0 - phase(kPi * a[1]));
        m << 0, -kI * kPi * flip * phase(-kPi * a[0]), kI * kPi * flip * phase(kPi * a[0]), 0;
    } else {
        const Complex half = 0.5 * kI * kPi * phase(kPi * a[1]);
        m << half, -half * phase(-kPi * a[0]), -half * phase(kPi * a[0]), half;
    }
    return m;
}

/// Cirq's PhasedISwapPowGate: (Z^-p x Z^p) iSWAP^t (Z^p x Z^-p).
Matrix phased_iswap(Angles a) {
    const double c = std::cos(kPi * a[1] / 2);
    const Complex s = kI * std::sin(kPi * a[1] / 2);
    return middle(c, s * phase(2 * kPi * a[0]), s * phase(-2 * kPi * a[0]), c, 1, 1);
}

Matrix phased_iswap_derivative(Angles a, int which) {
    const Complex f = phase(2 * kPi * a[0]);
    const Complex g = phase(-2 * kPi * a[0]);
    if (which == 0) {
        const Complex s = kI * std::sin(kPi * a[1] / 2);
        return middle(0, 2 * kPi * kI * s * f, -2 * kPi * kI * s * g, 0, 0, 0);
    }
    const double c = -kPi / 2 * std::sin(kPi * a[1] / 2);
    const Complex s = kI * (kPi / 2) * std::cos(kPi * a[1] / 2);
    return middle(c, s * f, s * g, c, 0, 0);
}

Matrix global_phase(Angles a) { return Matrix::Constant(1, 1, phase(a[0])); }
Matrix global_phase_derivative(Angles a, int) { return Matrix::Constant(1, 1, kI * phase(a[0])); }

using Spectra = std::vector<std::vector<double>>;
const std::vector<InverseAngle> kNegated{{0, -1.0}};

/// A gate without angles.
GateInfo plain(std::string_view name, std::string_view label, std::string_view meaning, int targets,
               std::string_view inverse, Matrix (*matrix)(Angles)) {
    return {.name = name,
            .label = label,
            .meaning = meaning,
            .targets = targets,
            .base = name,
            .inverse = inverse,
            .matrix = matrix};
}

/// exp(-i theta P / 2).
template <Involution P>
GateInfo rotation_row(std::string_view name, std::string_view label, std::string_view meaning,
                      int targets) {
    return {.name = name,
            .label = label,
            .meaning = meaning,
            .targets = targets,
            .parameters = {"theta"},
            .base = name,
            .inverse = name,
            .inverse_angles = kNegated,
            .spectra = {{-0.5, 0.5}},
            .matrix = rotation<P>,
            .derivative = rotation_derivative<P>};
}

/// P^t.
template <Involution P>
GateInfo power_row(std::string_view name, std::string_view label, std::string_view meaning,
                   int targets) {
    return {.name = name,
            .label = label,
            .meaning = meaning,
            .targets = targets,
            .parameters = {"t"},
            .base = name,
            .inverse = name,
            .inverse_angles = kNegated,
            .spectra = {{0.0, -kPi}},
            .matrix = power<P>,
            .derivative = power_derivative<P>};
}

/// A gate with angles that fits no pattern.
GateInfo special(std::string_view name, std::string_view label, std::string_view meaning,
                 int targets, std::vector<std::string_view> parameters,
                 std::vector<InverseAngle> inverse_angles, Spectra spectra,
                 Matrix (*matrix)(Angles), Matrix (*derivative)(Angles, int)) {
    return {.name = name,
            .label = label,
            .meaning = meaning,
            .targets = targets,
            .parameters = std::move(parameters),
            .base = name,
            .inverse = name,
            .inverse_angles = std::move(inverse_angles),
            .spectra = std::move(spectra),
            .matrix = matrix,
            .derivative = derivative};
}

void add_fixed_rows(std::vector<GateInfo>& rows) {
    rows.push_back(plain("id", "I", "identity", 1, "id", pauli<'I'>));
    rows.push_back(plain("x", "X", "Pauli X", 1, "x", pauli<'X'>));
    rows.push_back(plain("y", "Y", "Pauli Y", 1, "y", pauli<'Y'>));
    rows.push_back(plain("z", "Z", "Pauli Z", 1, "z", pauli<'Z'>));
    rows.push_back(plain("h", "H", "(X + Z)/sqrt(2)", 1, "h", fixed<Involution::h>));
    rows.push_back(plain("s", "S", "Z^(1/2)", 1, "sdg", root<Involution::z, 2>));
    rows.push_back(plain("sdg", "S†", "Z^(-1/2)", 1, "s", root<Involution::z, -2>));
    rows.push_back(plain("t", "T", "Z^(1/4)", 1, "tdg", root<Involution::z, 1>));
    rows.push_back(plain("tdg", "T†", "Z^(-1/4)", 1, "t", root<Involution::z, -1>));
    rows.push_back(plain("sx", "√X", "X^(1/2)", 1, "sxdg", root<Involution::x, 2>));
    rows.push_back(plain("sxdg", "√X†", "X^(-1/2)", 1, "sx", root<Involution::x, -2>));
    rows.push_back(
        plain("swap", "SWAP", "exchanges two qubits", 2, "swap", fixed<Involution::swap>));
    rows.push_back(plain("iswap", "iSWAP", "exp(i pi (XX + YY)/4)", 2, "iswapdg", iswap));
    rows.push_back(plain("iswapdg", "iSWAP†", "exp(-i pi (XX + YY)/4)", 2, "iswap", iswap_inverse));
}

void add_angle_rows(std::vector<GateInfo>& rows) {
    rows.push_back(rotation_row<Involution::x>("rx", "RX", "exp(-i theta X/2)", 1));
    rows.push_back(rotation_row<Involution::y>("ry", "RY", "exp(-i theta Y/2)", 1));
    rows.push_back(rotation_row<Involution::z>("rz", "RZ", "exp(-i theta Z/2)", 1));
    rows.push_back(rotation_row<Involution::xx>("rxx", "RXX", "exp(-i theta XX/2)", 2));
    rows.push_back(rotation_row<Involution::yy>("ryy", "RYY", "exp(-i theta YY/2)", 2));
    rows.push_back(rotation_row<Involution::zz>("rzz", "RZZ", "exp(-i theta ZZ/2)", 2));
    rows.push_back(power_row<Involution::x>("xpow", "X^t", "exp(i pi t/2) RX(pi t)", 1));
    rows.push_back(power_row<Involution::y>("ypow", "Y^t", "exp(i pi t/2) RY(pi t)", 1));
    rows.push_back(power_row<Involution::z>("zpow", "Z^t", "exp(i pi t/2) RZ(pi t)", 1));
    rows.push_back(power_row<Involution::h>("hpow", "H^t", "(1+H)/2 + exp(i pi t)(1-H)/2", 1));
    rows.push_back(
        power_row<Involution::swap>("swappow", "SWAP^t", "(1+SWAP)/2 + exp(i pi t)(1-SWAP)/2", 2));
    rows.push_back(power_row<Involution::xx>("xxpow", "XX^t", "exp(i pi t/2) RXX(pi t)", 2));
    rows.push_back(power_row<Involution::yy>("yypow", "YY^t", "exp(i pi t/2) RYY(pi t)", 2));
    rows.push_back(power_row<Involution::zz>("zzpow", "ZZ^t", "exp(i pi t/2) RZZ(pi t)", 2));
    rows.push_back(special("p", "P", "diag(1, exp(i lambda))", 1, {"lambda"}, kNegated,
                           {{0.0, -1.0}}, phase_gate, phase_gate_derivative));
    rows.push_back(special("u3", "U3", "P(phi) RY(theta) P(lambda)", 1, {"theta", "phi", "lambda"},
                           {{0, -1.0}, {2, -1.0}, {1, -1.0}},
                           {{-0.5, 0.5}, {0.0, -1.0}, {0.0, -1.0}}, u3, u3_derivative));
    rows.push_back(special("r", "R", "exp(-i theta (cos(phi) X + sin(phi) Y)/2)", 1,
                           {"theta", "phi"}, {{0, -1.0}, {1, 1.0}}, {{-0.5, 0.5}, {-1.0, 0.0, 1.0}},
                           r_gate, r_gate_derivative));
    rows.push_back(special("iswappow", "iSWAP^t", "exp(i pi t (XX + YY)/4)", 2, {"t"}, kNegated,
                           {{-kPi / 2, 0.0, kPi / 2}}, iswap_power, iswap_power_derivative));
    rows.push_back(special("fsim", "fSim", "exp(-i theta (XX + YY)/2) CP(-phi)", 2,
                           {"theta", "phi"}, {{0, -1.0}, {1, -1.0}}, {{-1.0, 0.0, 1.0}, {0.0, 1.0}},
                           fsim, fsim_derivative));
    rows.push_back(special("phasedx", "PhX", "Z^p X^t Z^-p", 1, {"p", "t"}, {{0, 1.0}, {1, -1.0}},
                           {{-kPi, 0.0, kPi}, {0.0, -kPi}}, phased_x, phased_x_derivative));
    rows.push_back(special("phasediswap", "PhiSWAP", "(Z^-p x Z^p) iSWAP^t (Z^p x Z^-p)", 2,
                           {"p", "t"}, {{0, 1.0}, {1, -1.0}},
                           {{-2 * kPi, 0.0, 2 * kPi}, {-kPi / 2, 0.0, kPi / 2}}, phased_iswap,
                           phased_iswap_derivative));
    rows.push_back(special("gphase", "phase", "exp(i gamma), a global phase", 0, {"gamma"},
                           kNegated, {{-1.0}}, global_phase, global_phase_derivative));
}

/// A controlled form: everything but the controls is the base row's.
void add_controlled(std::vector<GateInfo>& rows, std::string_view name, int controls,
                    std::string_view base) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i].name != base) continue;
        GateInfo row = rows[i];
        row.name = name;
        row.controls = controls;
        row.inverse = name; // every base below is its own inverse, or its angles change sign
        rows.push_back(row);
        return;
    }
    promise(false, "controlled gate without its base");
}

void mark_diagonal(std::vector<GateInfo>& rows) {
    constexpr std::string_view kDiagonal[] = {"id", "z",   "s",    "sdg", "t",     "tdg",
                                              "rz", "rzz", "zpow", "p",   "zzpow", "gphase"};
    for (GateInfo& row : rows)
        row.diagonal =
            std::find(std::begin(kDiagonal), std::end(kDiagonal), row.name) != std::end(kDiagonal);
}

std::vector<GateInfo> make_table() {
    std::vector<GateInfo> rows;
    add_fixed_rows(rows);
    add_angle_rows(rows);
    mark_diagonal(rows); // the controlled forms below inherit it
    constexpr std::pair<std::string_view, std::string_view> kControlled[] = {
        {"cx", "x"},       {"cy", "y"},       {"cz", "z"},   {"ch", "h"},
        {"cxpow", "xpow"}, {"czpow", "zpow"}, {"crx", "rx"}, {"cry", "ry"},
        {"crz", "rz"},     {"cp", "p"},       {"cu3", "u3"}, {"cswap", "swap"},
    };
    for (const auto& [name, base] : kControlled) add_controlled(rows, name, 1, base);
    add_controlled(rows, "ccx", 2, "x");
    add_controlled(rows, "ccz", 2, "z");
    rows.push_back(
        plain("unitary", "U", "a unitary matrix of 1 to 6 qubits", -1, "unitary", nullptr));
    rows.push_back({.name = "pauli_rotation",
                    .label = "exp",
                    .meaning = "exp(-i theta P/2), P a word of X, Y, Z on any number of qubits",
                    .targets = -1,
                    .parameters = {"theta"},
                    .base = "pauli_rotation",
                    .inverse = "pauli_rotation",
                    .inverse_angles = kNegated,
                    .spectra = {{-0.5, 0.5}}});
    return rows;
}

} // namespace

std::span<const GateInfo> gate_table() {
    static const std::vector<GateInfo> table = make_table();
    return table;
}

const GateInfo& gate_info(GateId gate) { return gate_table()[static_cast<std::size_t>(gate.row)]; }

std::optional<GateId> find_gate(std::string_view name) {
    const auto table = gate_table();
    for (std::size_t row = 0; row < table.size(); ++row)
        if (table[row].name == name) return GateId{static_cast<int>(row)};
    return std::nullopt;
}

GateId gate_id(std::string_view name) {
    const auto found = find_gate(name);
    if (!found) fail(Kind::bug, "no gate '{}' in the table", name);
    return *found;
}

std::vector<std::string> gate_names() {
    std::vector<std::string> names;
    for (const GateInfo& row : gate_table()) names.emplace_back(row.name);
    return names;
}

Matrix pauli_matrix(char pauli) {
    Matrix m = Matrix::Zero(2, 2);
    switch (pauli) {
    case 'X': m(0, 1) = m(1, 0) = 1; break;
    case 'Y':
        m(0, 1) = -kI;
        m(1, 0) = kI;
        break;
    case 'Z':
        m(0, 0) = 1;
        m(1, 1) = -1;
        break;
    default: m = Matrix::Identity(2, 2);
    }
    return m;
}

Matrix kron(const Matrix& a, const Matrix& b) {
    Matrix result(a.rows() * b.rows(), a.cols() * b.cols());
    for (Eigen::Index r = 0; r < a.rows(); ++r)
        for (Eigen::Index c = 0; c < a.cols(); ++c)
            result.block(r * b.rows(), c * b.cols(), b.rows(), b.cols()) = a(r, c) * b;
    return result;
}

} // namespace wavetrain
