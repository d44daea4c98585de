/// Handed cases: gradients that other programs got wrong, by every method.
#include "catch.hpp"
#include "laws.hpp"

#include <cmath>

using namespace wavetrain;
using namespace wavetrain::test;

namespace {

/// Value and gradient in every symbol, by all methods, options and precisions; `varying` or not.
void check_gradient(const Circuit& circuit, std::string_view observable,
                    const std::vector<double>& at, double value,
                    const std::vector<double>& expected, std::vector<bool> wanted = {}) {
    REQUIRE(expected.size() == circuit.symbols.size());
    if (wanted.empty()) wanted.assign(expected.size(), true);
    for (const CompileOptions& options : all_options())
        for (const bool varies : {false, true}) {
            const Plan plan = compile(circuit, {parse_pauli_sum(observable)},
                                      std::vector<bool>(expected.size(), varies), options);
            CHECK(std::abs(plan_expectations(plan, at, Precision::double_precision)[0] - value) <
                  1e-10);
            for (const Method method : kMethods)
                for (const Precision precision : kPrecisions) {
                    INFO(method_name(method) << ", " << option_text(options));
                    const auto all = plan_gradient(method, plan, {at}, {{1.0}}, wanted, precision);
                    const auto& gradient = varies ? all.varying[0] : all.shared;
                    const double allowed = precision == Precision::single_precision ? 2e-5
                                           : method == Method::finite_difference    ? 1e-8
                                                                                    : 1e-10;
                    for (std::size_t s = 0; s < expected.size(); ++s)
                        CHECK(std::abs(gradient[s] - expected[s]) <
                              allowed * std::max(1.0, std::abs(expected[s])));
                }
        }
}

} // namespace

TEST_CASE("B01: one input in several gates", "[gradient][case]") {
    Circuit circuit = circuit_on(2);
    const Angle t = circuit.add_input("t");
    circuit.add("ry", {0}, {t});
    circuit.add("ry", {1}, {t});
    check_gradient(circuit, "Z0*Z1", {0.4}, 0.8483533547, {-0.7173560909});
}

TEST_CASE("B02: scale and offset", "[gradient][case]") {
    Circuit circuit = circuit_on(1);
    const Angle t = circuit.add_input("t");
    circuit.add("rx", {0}, {2.0 * t + 1.0});
    check_gradient(circuit, "Z0", {0.3}, -0.0291995223, {-1.9991472061});
}

TEST_CASE("B04: a power with a composite base", "[gradient][case]") {
    Circuit circuit = circuit_on(1);
    const Angle p = circuit.add_input("p");
    circuit.add("rx", {0}, {Angle::power(2.0 * p, 3.0)});
    check_gradient(circuit, "Z0", {0.5}, std::cos(1.0), {-5.0488259089});
}

TEST_CASE("B05, B06: controlled rotations need four terms, phases two", "[gradient][case]") {
    Circuit crx = circuit_on(2);
    crx.add("h", {0});
    crx.add("crx", {0, 1}, {crx.add_input("t")});
    check_gradient(crx, "X0", {0.9}, 0.9004471024, {-0.2174827671});
    Circuit cphase = circuit_on(2);
    cphase.add("h", {0});
    cphase.add("h", {1});
    cphase.add("cp", {0, 1}, {cphase.add_input("t")});
    check_gradient(cphase, "X1", {0.7}, 0.8824210936, {-0.3221088436});
}

TEST_CASE("B08: inputs with the same value stay two", "[gradient][case]") {
    Circuit circuit = circuit_on(2);
    circuit.add("rx", {0}, {circuit.add_input("a")});
    circuit.add("ry", {1}, {circuit.add_input("b")});
    check_gradient(circuit, "Z0 + 2*Z1", {0.7, 0.7}, 3 * std::cos(0.7),
                   {-0.6442176872, -1.2884353745});
}

TEST_CASE("B09: fixed gates and frozen inputs do not shift the others", "[gradient][case]") {
    Circuit circuit = circuit_on(3);
    circuit.matrices.push_back(Matrix::Identity(4, 4));
    for (int q = 0; q < 3; ++q) circuit.add("ry", {q}, {circuit.add_input(format("x{}", q))});
    Operation fixed;
    fixed.gate = gate_id("unitary");
    fixed.targets = {Qubit{0}, Qubit{1}};
    fixed.matrix = 0;
    circuit.operations.push_back(fixed);
    const double value = std::cos(0.2) * std::cos(0.5) * std::cos(0.9);
    const std::vector<double> right{-0.1083769149, -0.2920752212, -0.6737311233};
    check_gradient(circuit, "Z0*Z1*Z2", {0.2, 0.5, 0.9}, value, right);
    for (std::size_t frozen = 0; frozen < 3; ++frozen) {
        auto expected = right;
        expected[frozen] = 0;
        std::vector<bool> wanted(3, true);
        wanted[frozen] = false;
        check_gradient(circuit, "Z0*Z1*Z2", {0.2, 0.5, 0.9}, value, expected, wanted);
    }
}

TEST_CASE("B11: a Pauli rotation that does not start at qubit 0", "[gradient][case]") {
    Circuit circuit = circuit_on(3);
    Operation rotation;
    rotation.gate = gate_id("pauli_rotation");
    rotation.targets = {Qubit{1}, Qubit{2}};
    rotation.paulis = "XY";
    rotation.angles = {circuit.add_input("t")};
    circuit.operations.push_back(rotation);
    check_gradient(circuit, "Z1 + 10*Z0", {0.6}, 10.8253356149, {-0.5646424734});
}

TEST_CASE("B12: sign and half-angle", "[gradient][case]") {
    Circuit circuit = circuit_on(1);
    circuit.add("rx", {0}, {circuit.add_input("t")});
    check_gradient(circuit, "Y0", {0.6}, -0.5646424734, {-0.8253356149});
}

TEST_CASE("B13: t10 does not come before t2", "[gradient][case]") {
    Circuit circuit = circuit_on(12);
    std::string observable;
    std::vector<double> at, expected;
    double value = 0;
    for (int i = 0; i < 12; ++i) {
        circuit.add("rx", {i}, {circuit.add_input(format("t{}", i))});
        observable += format("{}{}*Z{}", i == 0 ? "" : " + ", i + 1, i);
        at.push_back(0.1 * (i + 1));
        expected.push_back(-(i + 1) * std::sin(at.back()));
        value += (i + 1) * std::cos(at.back());
    }
    CHECK(std::abs(expected.back() + 11.1844690) < 1e-7);
    const Plan plan =
        compile(circuit, {parse_pauli_sum(observable)}, std::vector<bool>(12, false), {});
    CHECK(std::abs(plan_expectations(plan, at, Precision::double_precision)[0] - value) < 1e-12);
    for (const Method method : {Method::adjoint, Method::parameter_shift}) {
        const auto gradient = plan_gradient(
            method, plan, {at}, {{1.0}}, std::vector<bool>(12, true), Precision::double_precision);
        for (std::size_t i = 0; i < 12; ++i)
            CHECK(std::abs(gradient.shared[i] - expected[i]) < 1e-10);
    }
}

TEST_CASE("B15, B16: RYY, and the pi of exponents", "[gradient][case]") {
    Circuit ryy = circuit_on(2);
    ryy.add("rx", {0}, {0.4});
    ryy.add("ryy", {0, 1}, {ryy.add_input("t")});
    check_gradient(ryy, "Z0", {0.5}, 0.8083070668, {-0.4415801631});
    Circuit power = circuit_on(1);
    power.add("xpow", {0}, {power.add_input("t")});
    check_gradient(power, "Z0", {0.25}, 0.7071067812, {-2.2214414691});
}

TEST_CASE("B18: the minus shift starts from the same state", "[gradient][case]") {
    Circuit circuit = circuit_on(1);
    circuit.add("rx", {0}, {circuit.add_input("t")});
    check_gradient(circuit, "Z0", {0.9}, std::cos(0.9), {-0.7833269096});
}

TEST_CASE("B19: an input inside a controlled gate", "[gradient][case]") {
    Circuit circuit = circuit_on(2);
    circuit.add("h", {0});
    circuit.add("cx", {0, 1});
    circuit.add("cp", {0, 1}, {circuit.add_input("p")});
    circuit.add("cx", {0, 1});
    circuit.add("h", {0});
    check_gradient(circuit, "Z0", {2.0}, -0.4161468365, {-0.9092974268});
}

TEST_CASE("B21: differences in single precision are not lost", "[gradient][case]") {
    Circuit circuit = circuit_on(1);
    circuit.add("rx", {0}, {circuit.add_input("t")});
    const Plan plan = compile(circuit, {parse_pauli_sum("Z0")}, {false}, {});
    const auto gradient = plan_gradient(Method::finite_difference, plan, {{0.5}}, {{1.0}}, {true},
                                        Precision::single_precision);
    CHECK(std::abs(gradient.shared[0] + 0.4794255386) < 1e-10);
}

TEST_CASE("B24: a stationary point has gradient 0", "[gradient][case]") {
    Circuit circuit = circuit_on(1);
    circuit.add("rx", {0}, {circuit.add_input("t")});
    check_gradient(circuit, "Z0", {0.0}, 1.0, {0.0});
}

TEST_CASE("B55: a norm that drifted in single precision does not scale gradients",
          "[gradient][case]") {
    Circuit circuit = circuit_on(1);
    for (int i = 0; i < 5000; ++i) {
        circuit.add("rx", {0}, {0.1});
        circuit.add("ry", {0}, {0.2});
        circuit.add("rz", {0}, {0.3});
    }
    for (std::size_t i = circuit.operations.size(); i-- > 0;)
        circuit.operations.push_back(inverse(circuit, circuit.operations[i]));
    circuit.add("rx", {0}, {circuit.add_input("t")});
    const Plan plan = compile(circuit, {parse_pauli_sum("Z0")}, {false}, {"off", "auto", false});
    for (const Method method : {Method::adjoint, Method::parameter_shift}) {
        INFO(method_name(method));
        const auto gradient =
            plan_gradient(method, plan, {{1.1}}, {{1.0}}, {true}, Precision::single_precision);
        CHECK(std::abs(gradient.shared[0] + std::sin(1.1)) < 2e-5);
    }
}

TEST_CASE("an input that no gate uses has gradient 0", "[gradient][case]") {
    Circuit circuit = circuit_on(2);
    circuit.add_input("idle");
    circuit.add("rx", {0}, {circuit.add_input("t")});
    circuit.add("rx", {1}, {circuit.add_input("elsewhere")});
    check_gradient(circuit, "Z0", {0.3, 0.9, 0.4}, std::cos(0.9), {0.0, -std::sin(0.9), 0.0});
}
