/// The dense oracle: second definitions of all gates, and Kronecker products.
#include "oracle.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numbers>
#include <unsupported/Eigen/KroneckerProduct>

namespace wavetrain::test {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr Complex kI{0.0, 1.0};

using Sparse = Eigen::SparseMatrix<Complex>;
using Angles = std::span<const double>;

Matrix two_by_two(Complex a, Complex b, Complex c, Complex d) {
    Matrix m(2, 2);
    m << a, b, c, d;
    return m;
}

const Matrix kOne = two_by_two(1, 0, 0, 1);
const Matrix kX = two_by_two(0, 1, 1, 0);
const Matrix kY = two_by_two(0, -kI, kI, 0);
const Matrix kZ = two_by_two(1, 0, 0, -1);
const Matrix kH = (kX + kZ) / std::sqrt(2.0);

Matrix tensor(const Matrix& a, const Matrix& b) { return Eigen::kroneckerProduct(a, b); }

/// exp(-i a G) of a Hermitian G, by its eigenvectors.
Matrix evolve(const Matrix& generator, double a) {
    const Eigen::SelfAdjointEigenSolver<Matrix> solver(generator);
    const Vector phases = (-kI * a * solver.eigenvalues().cast<Complex>()).array().exp().matrix();
    return solver.eigenvectors() * phases.asDiagonal() * solver.eigenvectors().adjoint();
}

/// P^t = exp(i pi t (1 - P) / 2) of an involution.
Matrix power(const Matrix& involution, double t) {
    return evolve((Matrix::Identity(involution.rows(), involution.cols()) - involution) / 2,
                  -kPi * t);
}

const Matrix kXX = tensor(kX, kX);
const Matrix kYY = tensor(kY, kY);
const Matrix kZZ = tensor(kZ, kZ);
const Matrix kSwap = (Matrix::Identity(4, 4) + kXX + kYY + kZZ) / 2;
const Matrix kBothOne = tensor(kOne - kZ, kOne - kZ) / 4;

using Definition = std::function<Matrix(Angles)>;

Definition constant(const Matrix& m) {
    return [m](Angles) { return m; };
}

Definition rotation(const Matrix& generator) {
    return [generator](Angles a) { return evolve(generator, a[0] / 2); };
}

Definition power_of(const Matrix& involution) {
    return [involution](Angles a) { return power(involution, a[0]); };
}

std::map<std::string_view, Definition> make_definitions() {
    std::map<std::string_view, Definition> all = {
        {"id", constant(kOne)},
        {"x", constant(kX)},
        {"y", constant(kY)},
        {"z", constant(kZ)},
        {"h", constant(kH)},
        {"s", constant(power(kZ, 0.5))},
        {"sdg", constant(power(kZ, -0.5))},
        {"t", constant(power(kZ, 0.25))},
        {"tdg", constant(power(kZ, -0.25))},
        {"sx", constant(power(kX, 0.5))},
        {"sxdg", constant(power(kX, -0.5))},
        {"swap", constant(kSwap)},
        {"iswap", constant(evolve(kXX + kYY, -kPi / 4))},
        {"iswapdg", constant(evolve(kXX + kYY, kPi / 4))},
        {"rx", rotation(kX)},
        {"ry", rotation(kY)},
        {"rz", rotation(kZ)},
        {"rxx", rotation(kXX)},
        {"ryy", rotation(kYY)},
        {"rzz", rotation(kZZ)},
        {"xpow", power_of(kX)},
        {"ypow", power_of(kY)},
        {"zpow", power_of(kZ)},
        {"hpow", power_of(kH)},
        {"swappow", power_of(kSwap)},
        {"xxpow", power_of(kXX)},
        {"yypow", power_of(kYY)},
        {"zzpow", power_of(kZZ)},
    };
    const auto phase = [](double lambda) { return evolve((kOne - kZ) / 2, -lambda); };
    all["p"] = [phase](Angles a) { return phase(a[0]); };
    all["u3"] = [phase](Angles a) -> Matrix {
        return phase(a[1]) * evolve(kY, a[0] / 2) * phase(a[2]);
    };
    all["r"] = [](Angles a) { return evolve(std::cos(a[1]) * kX + std::sin(a[1]) * kY, a[0] / 2); };
    all["iswappow"] = [](Angles a) { return evolve(kXX + kYY, -kPi * a[0] / 4); };
    all["fsim"] = [](Angles a) -> Matrix {
        return evolve(kXX + kYY, a[0] / 2) * evolve(kBothOne, a[1]);
    };
    all["phasedx"] = [](Angles a) -> Matrix {
        return power(kZ, a[0]) * power(kX, a[1]) * power(kZ, -a[0]);
    };
    all["phasediswap"] = [](Angles a) -> Matrix {
        return tensor(power(kZ, -a[0]), power(kZ, a[0])) * evolve(kXX + kYY, -kPi * a[1] / 4) *
               tensor(power(kZ, a[0]), power(kZ, -a[0]));
    };
    all["gphase"] = [](Angles a) -> Matrix { return Matrix::Constant(1, 1, std::exp(kI * a[0])); };
    return all;
}

Matrix pauli(char letter) {
    switch (letter) {
    case 'X': return kX;
    case 'Y': return kY;
    case 'Z': return kZ;
    default: return kOne;
    }
}

Sparse identity(Eigen::Index side) {
    Sparse one(side, side);
    one.setIdentity();
    return one;
}

Sparse tensor(const Sparse& a, const Sparse& b) { return Eigen::kroneckerProduct(a, b); }

/// The operation on its targets alone, first target most significant.
Sparse on_targets(const Circuit& circuit, const Operation& operation, Angles symbols) {
    std::vector<double> angles;
    for (const Angle& angle : operation.angles) angles.push_back(angle.value(symbols));
    const std::string_view name = gate_info(operation.gate).name;
    if (name == "unitary")
        return circuit.matrices.at(static_cast<std::size_t>(operation.matrix)).sparseView();
    if (name != "pauli_rotation") return reference_matrix(name, angles).sparseView();
    Sparse word = identity(1);
    for (char letter : operation.paulis) word = tensor(word, Sparse(pauli(letter).sparseView()));
    const Complex same = std::cos(angles[0] / 2);
    const Complex turned = -kI * std::sin(angles[0] / 2);
    return same * identity(word.rows()) + turned * word;
}

/// The permutation that brings `first` to the front (most significant), in this order.
Eigen::PermutationMatrix<Eigen::Dynamic> bring_to_front(int qubits, std::vector<int> first) {
    const std::vector<int> front = first;
    for (int q = qubits - 1; q >= 0; --q)
        if (std::find(front.begin(), front.end(), q) == front.end()) first.push_back(q);
    const int side = 1 << qubits;
    Eigen::PermutationMatrix<Eigen::Dynamic> order(side);
    for (int index = 0; index < side; ++index) {
        int moved = 0;
        for (int q : first) moved = 2 * moved + ((index >> q) & 1);
        order.indices()(index) = moved;
    }
    return order;
}

/// Multiplies every column by the operation: 1 + (controls' projectors) x (U - 1) x 1.
template <class Columns>
void apply(const Circuit& circuit, const Operation& operation, Angles symbols, Columns& columns) {
    const Sparse gate = on_targets(circuit, operation, symbols);
    Sparse local = gate - identity(gate.rows());
    std::vector<int> operands;
    for (const Qubit& qubit : operation.targets) operands.push_back(qubit.index);
    for (const Control& control : operation.controls) {
        const Matrix projector = control.value ? two_by_two(0, 0, 0, 1) : two_by_two(1, 0, 0, 0);
        local = tensor(Sparse(projector.sparseView()), local);
        operands.insert(operands.begin(), control.qubit.index);
    }
    const Sparse change = tensor(local, identity(columns.rows() / local.rows()));
    const auto order = bring_to_front(circuit.qubits, operands);
    const Columns moved = order * columns;
    const Columns changed = change * moved;
    const Columns back = order.transpose() * changed;
    columns += back;
}

} // namespace

Matrix reference_matrix(std::string_view gate, Angles angles) {
    static const auto definitions = make_definitions();
    const auto found = definitions.find(gate);
    if (found == definitions.end())
        fail(Kind::bug, "tests/support/oracle.cpp has no definition of gate '{}'", gate);
    return found->second(angles);
}

Vector circuit_state(const Circuit& circuit, Angles symbols) {
    Vector state = Vector::Zero(Eigen::Index{1} << circuit.qubits);
    state(0) = 1;
    for (const Operation& operation : circuit.operations) apply(circuit, operation, symbols, state);
    return state;
}

Matrix circuit_unitary(const Circuit& circuit, Angles symbols) {
    const Eigen::Index side = Eigen::Index{1} << circuit.qubits;
    Matrix unitary = Matrix::Identity(side, side);
    for (const Operation& operation : circuit.operations)
        apply(circuit, operation, symbols, unitary);
    return unitary;
}

double expectation(const Circuit& circuit, const PauliSum& observable, Angles symbols) {
    const Vector state = circuit_state(circuit, symbols);
    double sum = 0;
    for (const PauliTerm& term : observable.terms) {
        std::string letters(static_cast<std::size_t>(circuit.qubits), 'I');
        for (const PauliFactor& factor : term.factors)
            letters.at(static_cast<std::size_t>(factor.qubit.index)) = factor.pauli;
        Sparse word = identity(1);
        for (char letter : letters) word = tensor(Sparse(pauli(letter).sparseView()), word);
        const Vector turned = word * state;
        sum += term.coefficient * state.dot(turned).real();
    }
    return sum;
}

std::vector<double> expectation_gradient(const Circuit& circuit, const PauliSum& observable,
                                         Angles symbols) {
    std::vector<double> gradient;
    std::vector<double> values(symbols.begin(), symbols.end());
    for (std::size_t s = 0; s < values.size(); ++s) {
        const auto along = [&](double x) {
            values[s] = x;
            return expectation(circuit, observable, values);
        };
        gradient.push_back(derivative(along, symbols[s]));
        values[s] = symbols[s];
    }
    return gradient;
}

double distance(const Matrix& a, const Matrix& b) { return (a - b).cwiseAbs().maxCoeff(); }

double distance_up_to_phase(const Matrix& a, const Matrix& b) {
    const Complex overlap = (a.adjoint() * b).trace();
    const double size = std::abs(overlap);
    return size == 0 ? distance(a, b) : distance(a * (overlap / size), b);
}

} // namespace wavetrain::test
