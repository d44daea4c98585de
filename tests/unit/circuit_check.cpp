/// Circuits: building, refusals, names, conventions of the handed cases.
#include "catch.hpp"
#include "oracle.hpp"

#include "wavetrain/circuit/circuit.hpp"

#include <cmath>
#include <limits>
#include <numbers>

using namespace wavetrain;
using namespace wavetrain::test;

namespace {

constexpr double kPi = std::numbers::pi;

template <class Action> std::string message(Action action) {
    try {
        action();
    } catch (const Error& error) {
        CHECK(error.kind() == Kind::usage);
        return error.what();
    }
    return "accepted";
}

bool has(const std::string& text, std::string_view part) {
    UNSCOPED_INFO(text);
    return text.find(part) != std::string::npos;
}

Circuit on(int qubits) {
    Circuit circuit;
    circuit.qubits = qubits;
    return circuit;
}

double value(const Circuit& circuit, std::string_view observable,
             std::vector<double> symbols = {}) {
    return expectation(circuit, parse_pauli_sum(observable), symbols);
}

bool close(double a, double b) { return std::abs(a - b) < 1e-9; }

} // namespace

TEST_CASE("operations that do not fit their circuit are refused", "[circuit][check]") {
    Circuit circuit = on(2);
    CHECK(has(message([&] { circuit.add("cx", {0, 0}); }), "acts on qubit 0 twice"));
    CHECK(has(message([&] { circuit.add("h", {9}); }), "9"));
    CHECK(has(message([&] { circuit.add("h", {-1}); }), "-1"));
    CHECK(has(message([&] { circuit.add("cx", {0}); }), "takes 2 qubits, not 1"));
    CHECK(has(message([&] { circuit.add("rx", {0}); }), "takes 1 angles, not 0"));
    CHECK(has(message([&] { circuit.add("rx", {0}, {std::numeric_limits<double>::infinity()}); }),
              "not a finite number"));
    circuit.add_input("a");
    CHECK(has(message([&] { circuit.add_input("a"); }), "declared twice"));
    CHECK(circuit.operations.empty());
}

TEST_CASE("matrices must be square, fit and be unitary", "[circuit][check]") {
    Circuit circuit = on(2);
    circuit.matrices = {Matrix::Identity(4, 4), 2 * Matrix::Identity(2, 2)};
    Operation use;
    use.gate = gate_id("unitary");
    use.place = {"f", 2, 3};
    use.matrix = 0;
    use.targets = {Qubit{0}};
    CHECK(has(message([&] { check_operation(circuit, use); }), "f:2:3: "));
    CHECK(has(message([&] { check_operation(circuit, use); }), "2 x 2 entries, not 4 x 4"));
    use.matrix = 1;
    CHECK(has(message([&] { check_operation(circuit, use); }), "not unitary"));
    circuit.matrices[1](0, 0) = std::nan("");
    CHECK(has(message([&] { check_operation(circuit, use); }), "not unitary"));
}

TEST_CASE("operations have the names a user would give", "[circuit][check]") {
    Circuit circuit = on(5);
    circuit.add("ccx", {0, 1, 2});
    circuit.add(gate_id("x"), std::vector<Qubit>{{4}}, {},
                {{Qubit{0}}, {Qubit{1}}, {Qubit{2}}, {Qubit{3}, false}});
    CHECK(operation_name(circuit.operations[0]) == "ccx");
    CHECK(operation_name(circuit.operations[1]) == "negctrl @ ctrl @ ccx");
    CHECK(touched_qubits(circuit.operations[1]).size() == 5);
}

TEST_CASE("arrays and inputs number their symbols", "[circuit][check]") {
    Circuit circuit = on(1);
    circuit.add_input("a");
    const auto w = circuit.add_array("w", 3);
    CHECK(circuit.symbols == std::vector<std::string>{"a", "w[0]", "w[1]", "w[2]"});
    CHECK(w.at(2) == Angle::symbol(3));
    CHECK(circuit.find_input("w")->size == 3);
    CHECK(circuit.find_input("v") == nullptr);
}

TEST_CASE("controlled S is not CRZ (B32), iSWAP's sign (B33)", "[circuit][check]") {
    Circuit cs = on(2);
    cs.add("h", {0});
    cs.add("x", {1});
    Circuit crz = cs;
    cs.add(gate_id("s"), std::vector<Qubit>{{1}}, {}, {{Qubit{0}}});
    crz.add("crz", {0, 1}, {kPi / 2});
    CHECK(close(value(cs, "X0"), 0));
    CHECK(close(value(cs, "Y0"), 1));
    CHECK(close(value(crz, "X0"), 0.7071067812));
    CHECK(close(value(crz, "Y0"), 0.7071067812));
    for (const auto& [gate, angles, expected] :
         {std::tuple<const char*, std::vector<Angle>, double>{"iswap", {}, 1.0},
          {"fsim", {kPi / 2, 0.0}, -1.0}}) {
        Circuit circuit = on(2);
        circuit.add("h", {0});
        circuit.add(gate, {0, 1}, angles);
        CHECK(close(value(circuit, "Y1"), expected));
    }
}

TEST_CASE("negative controls (B36) and unsorted observables (B38)", "[circuit][check]") {
    Circuit swap = on(3);
    swap.add("x", {1});
    swap.add(gate_id("swap"), std::vector<Qubit>{{1}, {2}}, {}, {{Qubit{0}, false}});
    CHECK(close(value(swap, "Z0"), 1));
    CHECK(close(value(swap, "Z1"), 1));
    CHECK(close(value(swap, "Z2"), -1));
    Circuit pair = on(3);
    pair.add("ry", {0}, {0.3});
    pair.add("ry", {2}, {1.1});
    CHECK(close(value(pair, "X0*Z2"), 0.1340468195));
    CHECK(close(value(pair, "Z2*X0"), 0.1340468195));
    CHECK(close(value(pair, "Z0*X2"), 0.8514029104));
}

TEST_CASE("gradients of the handed cases (B01, B02, B04, B05, B16)", "[circuit][check]") {
    const auto gradient = [](const Circuit& circuit, std::string_view observable, double at) {
        return expectation_gradient(circuit, parse_pauli_sum(observable),
                                    std::vector<double>{at})[0];
    };
    Circuit shared = on(2);
    const Angle t = shared.add_input("t");
    Circuit affine = shared, power = shared, rotation = shared, exponent = shared;
    shared.add("ry", {0}, {t});
    shared.add("ry", {1}, {t});
    CHECK(close(gradient(shared, "Z0*Z1", 0.4), -0.7173560909));
    affine.add("rx", {0}, {2.0 * t + 1.0});
    CHECK(close(gradient(affine, "Z0", 0.3), -1.9991472061));
    power.add("rx", {0}, {Angle::power(2.0 * t, 3.0)});
    // A steep angle: the oracle's difference is good to six digits here.
    CHECK(std::abs(gradient(power, "Z0", 0.5) + 5.0488259089) < 1e-6);
    rotation.add("h", {0});
    rotation.add("crx", {0, 1}, {t});
    CHECK(close(gradient(rotation, "X0", 0.9), -0.2174827671));
    exponent.add("xpow", {0}, {t});
    CHECK(close(gradient(exponent, "Z0", 0.25), -2.2214414691));
}
