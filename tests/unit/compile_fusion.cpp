/// What the compiler joins and finds alike.
#include "catch.hpp"
#include "laws.hpp"
#include "oracle.hpp"

#include <algorithm>

using namespace wavetrain;
using namespace wavetrain::test;

namespace {

/// A dense block on two qubits: rotations about two axes and what entangles them.
void add_dense(Circuit& circuit, int a, int b, const Angle& angle) {
    for (int q : {a, b}) {
        circuit.add("ry", {q}, {angle});
        circuit.add("rz", {q}, {angle});
    }
    circuit.add("rzz", {a, b}, {angle});
    circuit.add("rxx", {a, b}, {angle});
}

/// All qubits entangled, so that no light cone or product state hides anything.
Circuit entangled(int qubits) {
    Circuit circuit = circuit_on(qubits);
    const Angle a = circuit.add_input("a");
    for (int q = 0; q + 1 < qubits; ++q) add_dense(circuit, q, q + 1, a);
    return circuit;
}

std::size_t flips_of(const Plan& plan) {
    std::size_t count = 0;
    for (const Cone& cone : plan.cones)
        for (const Block& block : cone.blocks) count += block.flips.size();
    return count;
}

/// Compiled for Z of every qubit; its numbers are checked against the oracle and parameter shift.
Plan checked(const Circuit& circuit, const char* fusion = "on") {
    CompileOptions options;
    options.fusion = fusion;
    options.light_cones = "off";
    std::vector<PauliSum> observables;
    for (int q = 0; q < circuit.qubits; ++q)
        observables.push_back(parse_pauli_sum(format("Z{}", q)));
    const std::vector<double> symbols(circuit.symbols.size(), 0.7);
    Plan plan = compile(circuit, observables, std::vector<bool>(symbols.size(), false), options);
    const auto values = plan_expectations(plan, symbols, Precision::double_precision);
    for (std::size_t j = 0; j < values.size(); ++j)
        CHECK(std::abs(values[j] - expectation(circuit, observables[j], symbols)) < 1e-12);
    const auto gradient = [&](Method method) {
        return plan_gradient(method, plan, {symbols},
                             {std::vector<double>(observables.size(), 1.0)},
                             std::vector<bool>(symbols.size(), true), Precision::double_precision);
    };
    const ConeGradient adjoint = gradient(Method::adjoint);
    const ConeGradient shift = gradient(Method::parameter_shift);
    for (std::size_t s = 0; s < symbols.size(); ++s)
        CHECK(std::abs(adjoint.shared[s] - shift.shared[s]) < 1e-11);
    return plan;
}

} // namespace

TEST_CASE("a CNOT before a dense block is folded into it", "[compile][law]") {
    // Controls among the vector lanes and above, of either sign, onto either target.
    for (int control = 0; control < 7; ++control)
        for (const bool value : {true, false})
            for (int target = 0; target < 7; ++target) {
                // (On 5 and 6 it joins the block that ends the frame.)
                if (control == target || control + target == 11) continue;
                const int partner = (std::max(control, target) + 1) % 7;
                if (partner == control || partner == target) continue;
                INFO(control << (value ? " -> " : " (0) -> ") << target);
                Circuit circuit = entangled(7);
                const std::vector<Qubit> on{Qubit{target}};
                circuit.add(gate_id("x"), on, {}, {{Qubit{control}, value}});
                add_dense(circuit, target, partner, circuit.add_input("b"));
                CHECK(flips_of(checked(circuit)) == 1);
                CHECK(flips_of(checked(circuit, "off")) == 0);
            }
}

TEST_CASE("two CNOTs onto one block, a third stays", "[compile][law]") {
    Circuit circuit = entangled(6);
    circuit.add("cx", {0, 4});
    circuit.add("cx", {1, 5});
    add_dense(circuit, 4, 5, circuit.add_input("b"));
    CHECK(flips_of(checked(circuit)) == 2);

    Circuit same_target = entangled(6);
    same_target.add("cx", {0, 4});
    same_target.add("cx", {1, 4});
    add_dense(same_target, 4, 5, same_target.add_input("b"));
    CHECK(flips_of(checked(same_target)) == 2);

    Circuit three = entangled(6);
    for (int control : {0, 1, 2}) three.add("cx", {control, 4});
    add_dense(three, 4, 5, three.add_input("b"));
    CHECK(flips_of(checked(three)) == 2);
}

TEST_CASE("a CNOT stays where something is in its way", "[compile][law]") {
    Circuit control_is_used = entangled(6);
    control_is_used.add("cx", {0, 4});
    add_dense(control_is_used, 0, 1, control_is_used.add_input("b"));
    add_dense(control_is_used, 4, 5, control_is_used.add_input("c"));
    CHECK(flips_of(checked(control_is_used)) == 0);

    Circuit last = entangled(6);
    last.add("cx", {0, 4});
    CHECK(flips_of(checked(last)) == 0);
}

TEST_CASE("equal gates on the same qubits are one run, wherever they act", "[compile]") {
    Circuit circuit = circuit_on(4);
    const Angle a = circuit.add_input("a");
    for (int q = 0; q < 4; q += 2) add_dense(circuit, q, q + 1, a);
    const Plan plan = checked(circuit);
    REQUIRE(plan.cones.size() == 1);
    const Cone& cone = plan.cones.front();
    // RY RZ on one qubit, and RZZ RXX on two: for both pairs, and for both qubits of each.
    CHECK(cone.runs.size() == 2);
    for (const Block& block : cone.blocks) {
        std::size_t gates = 0;
        for (const RunPlace& place : block.runs)
            gates += cone.runs[static_cast<std::size_t>(place.run)].operations.size();
        CHECK(gates == block.operations.size());
    }
}

TEST_CASE("rings of CZs between layers of rotations need no blocks of their own",
          "[compile][law]") {
    constexpr int kQubits = 6;
    constexpr int kLayers = 4;
    Circuit circuit = circuit_on(kQubits);
    const Angle a = circuit.add_input("a");
    for (int layer = 0; layer < kLayers; ++layer) {
        for (int q = 0; q < kQubits; ++q) circuit.add("ry", {q}, {a});
        for (int q = 0; q < kQubits; ++q) circuit.add("cz", {q, (q + 1) % kQubits});
    }
    const Plan plan = checked(circuit);
    const std::vector<Block>& blocks = plan.cones.front().blocks;
    const auto matrices = std::count_if(blocks.begin(), blocks.end(), [](const Block& block) {
        return block.kind == Block::Kind::matrix;
    });
    // Each layer's rotations go into blocks of two qubits; half of the last ring comes after them.
    CHECK(matrices == (kLayers + 1) * kQubits / 2);
}
