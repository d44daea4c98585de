/// Laws of the engine: expectations and amplitudes are the dense oracle's, whatever the options.
#include "catch.hpp"
#include "laws.hpp"
#include "oracle.hpp"

#include <cmath>

using namespace wavetrain;
using namespace wavetrain::test;

namespace {

const std::vector<bool> kVarying{false, false, true}; // of a, b, x

/// The index of an amplitude in the circuit's own order.
std::size_t circuit_index(const Cone& cone, std::size_t index) {
    std::size_t result = 0;
    for (std::size_t p = 0; p < cone.layout.size(); ++p)
        if ((index >> p) & 1) result |= std::size_t{1} << cone.layout[p].index;
    return result;
}

/// Runs the whole circuit and compares every amplitude, the norm, and the way back to |0...0>.
template <class Real>
void check_state(const Circuit& circuit, const std::vector<double>& symbols,
                 const CompileOptions& options, const Vector& expected, double allowed) {
    const Plan plan = compile(circuit, {parse_pauli_sum("0.5")}, kVarying, options);
    REQUIRE(plan.cones.size() == 1);
    const Cone& cone = plan.cones.front();
    REQUIRE(cone.layout.size() == static_cast<std::size_t>(circuit.qubits));
    const BoundCone bound(plan, cone, symbols);
    State<Real> state(circuit.qubits);
    run(bound, state);
    double worst = 0;
    for (std::size_t i = 0; i < state.size(); ++i)
        worst =
            std::max(worst, std::abs(state.amplitude(i) -
                                     expected(static_cast<Eigen::Index>(circuit_index(cone, i)))));
    CHECK(worst < allowed);
    CHECK(std::abs(norm_squared(state) - 1.0) < allowed);
    for (std::size_t i = bound.size(); i-- > 0;) undo(state, bound.block(i), bound.bound(i));
    // Qubits that entered have left: what is above is not part of the state any more.
    worst = 0;
    for (std::size_t i = 0; i < (std::size_t{1} << cone.start); ++i)
        worst = std::max(worst, std::abs(state.amplitude(i) - (i == 0 ? 1.0 : 0.0)));
    CHECK(worst < allowed);
}

} // namespace

TEST_CASE("expectations of random circuits are the oracle's with every option", "[engine][law]") {
    for (int qubits = 1; qubits <= 7; ++qubits) {
        Dice dice(100 + static_cast<std::uint64_t>(qubits));
        const Circuit circuit = random_circuit(dice, qubits);
        std::vector<PauliSum> observables;
        for (int j = 0; j < 3; ++j) observables.push_back(random_observable(dice, qubits));
        observables.push_back(parse_pauli_sum(format("Z{}", qubits - 1)));
        const auto symbols = random_values(dice, 3);
        std::vector<double> expected;
        for (const PauliSum& observable : observables)
            expected.push_back(expectation(circuit, observable, symbols));
        for (const CompileOptions& options : all_options())
            for (const Precision precision : kPrecisions) {
                INFO(qubits << " qubits, " << option_text(options) << ", "
                            << amplitude_bytes(precision) << " bytes");
                const Plan plan = compile(circuit, observables, kVarying, options);
                const auto values = plan_expectations(plan, symbols, precision);
                for (std::size_t j = 0; j < values.size(); ++j)
                    CHECK(std::abs(values[j] - expected[j]) < tolerance(precision,
                                                                        circuit.operations.size(),
                                                                        scale_of(observables[j])));
            }
    }
}

TEST_CASE("every amplitude is the oracle's, and undoing leads back", "[engine][law]") {
    for (int qubits = 1; qubits <= 7; ++qubits) {
        Dice dice(200 + static_cast<std::uint64_t>(qubits));
        const Circuit circuit = random_circuit(dice, qubits);
        const auto symbols = random_values(dice, 3);
        const Vector expected = circuit_state(circuit, symbols);
        const std::size_t gates = circuit.operations.size();
        for (const CompileOptions& options :
             {CompileOptions{"on", "off", false}, CompileOptions{"off", "off", false},
              CompileOptions{"auto", "auto", true}}) {
            INFO(qubits << " qubits, " << option_text(options));
            check_state<double>(circuit, symbols, options, expected,
                                tolerance(Precision::double_precision, gates));
            check_state<float>(circuit, symbols, options, expected,
                               tolerance(Precision::single_precision, gates));
        }
    }
}

TEST_CASE("every row alone, with further controls of both signs", "[engine][law]") {
    Dice dice(300);
    for (const GateInfo& row : gate_table())
        for (int controls = 0; controls <= 2; ++controls) {
            Circuit circuit = circuit_on(5);
            for (const char* name : {"a", "b", "x"}) circuit.add_input(name);
            add_frame(dice, circuit);
            REQUIRE(add_row(dice, circuit, row, controls));
            const auto symbols = random_values(dice, 3);
            const Vector expected = circuit_state(circuit, symbols);
            for (const char* fusion : {"on", "off"}) {
                INFO(row.name << " with " << controls << " further controls, fusion " << fusion);
                check_state<double>(circuit, symbols, {fusion, "off", false}, expected,
                                    tolerance(Precision::double_precision, 20));
            }
        }
}

TEST_CASE("matrices of one to six qubits with controls", "[engine][law]") {
    for (int width = 1; width <= 6; ++width) {
        Dice dice(400 + static_cast<std::uint64_t>(width));
        Circuit circuit = circuit_on(7);
        for (const char* name : {"a", "b", "x"}) circuit.add_input(name);
        add_frame(dice, circuit);
        Operation use;
        use.gate = gate_id("unitary");
        use.matrix = 0;
        circuit.matrices.push_back(random_unitary(dice, width));
        for (int i = 0; i < width; ++i) use.targets.push_back(Qubit{(3 * i + 2) % 7});
        use.controls.push_back({Qubit{(3 * width + 2) % 7}, width % 2 == 0});
        circuit.operations.push_back(use);
        const Vector expected = circuit_state(circuit, random_values(dice, 3));
        for (const char* fusion : {"on", "off"})
            check_state<double>(circuit, {0.0, 0.0, 0.0}, {fusion, "off", false}, expected,
                                tolerance(Precision::double_precision, 80));
    }
}

TEST_CASE("rebinding to another sample is binding afresh", "[engine][law]") {
    Dice dice(500);
    const Circuit circuit = random_circuit(dice, 4);
    const Plan plan = compile(circuit, {random_observable(dice, 4)}, kVarying, {});
    auto symbols = random_values(dice, 3);
    for (const Cone& cone : plan.cones) {
        BoundCone bound(plan, cone, symbols);
        for (const double x : {0.3, -1.1, 0.0}) {
            symbols[2] = x;
            bound.rebind_varying(symbols);
            // The same bits, not merely close.
            CHECK(evaluate(bound, Precision::double_precision) ==
                  evaluate(BoundCone(plan, cone, symbols), Precision::double_precision));
        }
    }
}

TEST_CASE("the transition matrix and the Pauli element are sums over the rest", "[engine][law]") {
    Dice dice(600);
    constexpr int kQubits = 4;
    State<double> bra(kQubits), ket(kQubits);
    Vector bra_vector(16), ket_vector(16);
    for (std::size_t i = 0; i < 16; ++i) {
        bra.set_amplitude(i, {dice.number(-1, 1), dice.number(-1, 1)});
        ket.set_amplitude(i, {dice.number(-1, 1), dice.number(-1, 1)});
        bra_vector(static_cast<Eigen::Index>(i)) = bra.amplitude(i);
        ket_vector(static_cast<Eigen::Index>(i)) = ket.amplitude(i);
    }
    for (int width = 1; width <= 3; ++width)
        for (const bool controlled : {false, true}) {
            Block block;
            for (int i = 0; i < width; ++i) block.targets.push_back(Position{2 - i});
            if (controlled) block.control_mask = block.control_value = 8;
            const Matrix m = transition(bra, ket, block);
            Matrix expected = Matrix::Zero(m.rows(), m.cols());
            for (int i = controlled ? 8 : 0; i < 16; ++i)
                for (int j = controlled ? 8 : 0; j < 16; ++j) {
                    const int rest = 15 ^ (7 & ~((1 << (3 - width)) - 1));
                    if ((i & rest) != (j & rest)) continue;
                    expected((i & 7) >> (3 - width), (j & 7) >> (3 - width)) +=
                        std::conj(bra_vector(i)) * ket_vector(j);
                }
            CHECK(distance(m, expected) < 1e-14);
        }
    // <bra| X0 Y1 Z3 |ket> by hand: Y|0> = i|1>, Y|1> = -i|0>.
    Complex expected = 0;
    for (int i = 0; i < 16; ++i) {
        const Complex y = (i & 2) ? Complex{0, -1} : Complex{0, 1};
        expected += std::conj(bra_vector(i ^ 3)) * y * ((i & 8) ? -1.0 : 1.0) * ket_vector(i);
    }
    CHECK(std::abs(pauli_element(bra, ket, {3, 10, 1}, 0, 0) - expected) < 1e-14);
}
