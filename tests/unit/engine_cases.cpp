/// Handed cases: gate conventions, phases under control, observables, long circuits.
#include "catch.hpp"
#include "laws.hpp"

#include <cmath>
#include <numbers>

using namespace wavetrain;
using namespace wavetrain::test;

namespace {

constexpr double kPi = std::numbers::pi;

/// The observable has this value with every option, and in single precision.
void check_value(const Circuit& circuit, std::string_view observable, double expected,
                 double allowed = 1e-10) {
    for (const CompileOptions& options : all_options()) {
        INFO(observable << ", " << option_text(options));
        CHECK(std::abs(value_of(circuit, observable, {}, options) - expected) < allowed);
        CHECK(std::abs(value_of(circuit, observable, {}, options, Precision::single_precision) -
                       expected) < 1e-5);
    }
}

void add_controlled(Circuit& circuit, std::string_view gate, std::vector<Qubit> targets,
                    std::vector<Control> controls, std::vector<Angle> angles = {}) {
    circuit.add(gate_id(gate), targets, std::move(angles), std::move(controls));
}

Circuit plus_states(int qubits) {
    Circuit circuit = circuit_on(qubits);
    for (int q = 0; q < qubits; ++q) circuit.add("h", {q});
    return circuit;
}

} // namespace

TEST_CASE("B30: a global phase becomes relative under control", "[engine][case]") {
    struct Row {
        const char* gate;
        std::vector<Angle> angles;
        double x, y;
    };
    const std::vector<Row> rows{
        {"rx", {kPi}, 0, -1},  {"rx", {0.5}, 0.9689124217, -0.2474039593},
        {"xpow", {1.0}, 1, 0}, {"x", {}, 1, 0},
        {"xpow", {0.5}, 1, 0},
    };
    for (const Row& row : rows) {
        Circuit circuit = plus_states(2);
        add_controlled(circuit, row.gate, {Qubit{1}}, {{Qubit{0}, true}}, row.angles);
        INFO(row.gate);
        check_value(circuit, "X0", row.x);
        check_value(circuit, "Y0", row.y);
    }
    Circuit at = plus_states(2), near = plus_states(2);
    at.add("crx", {0, 1}, {kPi});
    near.add("crx", {0, 1}, {kPi + 1e-6});
    CHECK(std::abs(value_of(at, "X0") - value_of(near, "X0")) < 1e-6);
    // The phase alone, under control: S on the control.
    Circuit phase = plus_states(1);
    add_controlled(phase, "gphase", {}, {{Qubit{0}, true}}, {kPi / 2});
    check_value(phase, "Y0", 1);
}

TEST_CASE("B32: controlled S is not CRZ", "[engine][case]") {
    Circuit start = circuit_on(2);
    start.add("h", {0});
    start.add("x", {1});
    Circuit cs = start, crz = start;
    add_controlled(cs, "s", {Qubit{1}}, {{Qubit{0}, true}});
    crz.add("crz", {0, 1}, {kPi / 2});
    check_value(cs, "X0", 0);
    check_value(cs, "Y0", 1);
    check_value(crz, "X0", 0.7071067812);
    check_value(crz, "Y0", 0.7071067812);
}

TEST_CASE("B33: iSWAP is fSim(-pi/2, 0)", "[engine][case]") {
    Circuit iswap = circuit_on(2);
    iswap.add("h", {0});
    Circuit minus = iswap, plus = iswap;
    iswap.add("iswap", {0, 1});
    minus.add("fsim", {0, 1}, {-kPi / 2, 0.0});
    plus.add("fsim", {0, 1}, {kPi / 2, 0.0});
    check_value(iswap, "Y1", 1);
    check_value(minus, "Y1", 1);
    check_value(plus, "Y1", -1);
}

TEST_CASE("B35: an inactive control changes nothing around it", "[engine][case]") {
    for (const int qubits : {2, 12}) {
        Circuit circuit = circuit_on(qubits);
        circuit.add("ry", {0}, {0.7});
        circuit.add("cx", {1, 0});
        for (const char* gate : {"x", "t", "x"}) circuit.add(gate, {0});
        check_value(circuit, "X0", 0.4555307, 1e-7);
        check_value(circuit, "Y0", -0.4555307, 1e-7);
        check_value(circuit, "Z0", 0.7648421873);
    }
    // 15 and 20 qubits: the whole state, fused and not.
    for (const int qubits : {15, 20}) {
        Circuit circuit = circuit_on(qubits);
        circuit.add("ry", {0}, {0.7});
        circuit.add("cx", {1, 0});
        for (const char* gate : {"x", "t", "x"}) circuit.add(gate, {0});
        for (const char* fusion : {"on", "off"})
            CHECK(std::abs(value_of(circuit, "Y0", {}, {fusion, "off", false}) + 0.4555307) < 1e-7);
    }
}

TEST_CASE("B36: negative controls", "[engine][case]") {
    Circuit circuit = circuit_on(3);
    circuit.add("x", {1});
    add_controlled(circuit, "swap", {Qubit{1}, Qubit{2}}, {{Qubit{0}, false}});
    check_value(circuit, "Z0", 1);
    check_value(circuit, "Z1", 1);
    check_value(circuit, "Z2", -1);
}

TEST_CASE("B38: observables on unsorted qubits", "[engine][case]") {
    Circuit circuit = circuit_on(3);
    circuit.add("ry", {0}, {0.3});
    circuit.add("ry", {2}, {1.1});
    check_value(circuit, "X0 Z2", 0.1340468195);
    check_value(circuit, "Z2 X0", 0.1340468195);
    check_value(circuit, "Z0 X2", 0.8514029104);
}

TEST_CASE("B40: order and sign of a fused product", "[engine][case]") {
    Circuit alone = circuit_on(1);
    for (const char* gate : {"h", "z", "x"}) alone.add(gate, {0});
    check_value(alone, "X0", -1);
    Circuit controlled = circuit_on(2);
    controlled.add("h", {0});
    for (const char* gate : {"h", "z", "x"})
        add_controlled(controlled, gate, {Qubit{1}}, {{Qubit{0}, true}});
    check_value(controlled, "X0", -0.7071067812);
    check_value(controlled, "X1", -0.5);
}

TEST_CASE("B47: large sums that cancel", "[engine][case]") {
    Circuit circuit = circuit_on(8);
    for (int q = 1; q < 8; q += 2) circuit.add("x", {q});
    for (int layer = 0; layer < 4; ++layer)
        for (int q = layer % 2; q + 1 < 8; q += 2) circuit.add("fsim", {q, q + 1}, {0.37, 0.21});
    std::string pairs;
    for (int i = 0; i < 8; ++i)
        for (int j = i + 1; j < 8; ++j)
            pairs += format("{}Z{}*Z{}", pairs.empty() ? "" : " + ", i, j);
    for (const CompileOptions& options : all_options()) {
        CHECK(std::abs(value_of(circuit, pairs, {}, options) + 4) < 1e-11);
        // <M^2> = 8 + 2 sum <ZiZj> = 0.
        CHECK(std::abs(8 + 2 * value_of(circuit, pairs, {}, options)) < 1e-9);
        CHECK(std::abs(8 + 2 * value_of(circuit, pairs, {}, options, Precision::single_precision)) <
              1e-2);
    }
}

TEST_CASE("B51: rows and observables keep their shape", "[engine][case]") {
    Circuit circuit = circuit_on(2);
    const Angle x = circuit.add_input("x");
    circuit.add("ry", {0}, {x});
    const Plan plan =
        compile(circuit, {parse_pauli_sum("Z0"), parse_pauli_sum("Z1 - X0")}, {true}, {});
    for (const double at : {0.1, 0.2, 0.3}) {
        const auto values = plan_expectations(plan, std::vector{at}, Precision::double_precision);
        REQUIRE(values.size() == 2);
        CHECK(std::abs(values[0] - std::cos(at)) < 1e-14);
        CHECK(std::abs(values[1] - (1 - std::sin(at))) < 1e-14);
    }
    CHECK_THROWS_AS(compile(circuit, {parse_pauli_sum("Z0")}, {true, false}, {}), Error);
}

TEST_CASE("B55: thirty thousand gates and their inverse", "[engine][case]") {
    Circuit circuit = circuit_on(1);
    for (int i = 0; i < 5000; ++i) {
        circuit.add("rx", {0}, {0.1});
        circuit.add("ry", {0}, {0.2});
        circuit.add("rz", {0}, {0.3});
    }
    for (std::size_t i = circuit.operations.size(); i-- > 0;)
        circuit.operations.push_back(inverse(circuit, circuit.operations[i]));
    for (const CompileOptions& options :
         {CompileOptions{"on", "auto", false}, CompileOptions{"off", "auto", false},
          CompileOptions{"auto", "auto", true}}) {
        INFO(option_text(options));
        CHECK(std::abs(value_of(circuit, "Z0", {}, options) - 1) < 1e-11);
    }
    // Fused, the product is made in double.
    CHECK(std::abs(value_of(circuit, "Z0", {}, {"on", "auto", false}, Precision::single_precision) -
                   1) < 1e-6);
    // Gate by gate single precision drifts in norm; expectations are those of the unit vector.
    CHECK(
        std::abs(value_of(circuit, "Z0", {}, {"off", "auto", false}, Precision::single_precision) -
                 1) < 1e-5);
}
