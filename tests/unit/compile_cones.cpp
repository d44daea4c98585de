/// Light cones and fusion: what they leave out, how small they are, degenerate circuits.
#include "catch.hpp"
#include "contains.hpp"
#include "laws.hpp"
#include "oracle.hpp"

#include "wavetrain/circuit/templates.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

using namespace wavetrain;
using namespace wavetrain::test;

namespace {

Plan plan_of(const Circuit& circuit, const std::vector<std::string>& observables,
             const CompileOptions& options = {}) {
    std::vector<PauliSum> sums;
    for (const std::string& text : observables) sums.push_back(parse_pauli_sum(text));
    return compile(circuit, sums, std::vector<bool>(circuit.symbols.size(), false), options);
}

Circuit qcnn_layer(std::int64_t qubits) {
    return make_template("qcnn_layer", {{"qubits", qubits}});
}

std::vector<std::string> sinks_of(int qubits) {
    std::vector<std::string> observables;
    for (int q = qubits / 2; q < qubits; ++q) observables.push_back(format("Z{}", q));
    return observables;
}

/// A cone's qubits, whatever the order in which they enter.
std::vector<Qubit> sorted(std::vector<Qubit> layout) {
    std::sort(layout.begin(), layout.end());
    return layout;
}

/// The operations of all blocks of a cone, as often as they occur.
std::vector<int> operations_of(const Cone& cone) {
    std::vector<int> all;
    for (const Block& block : cone.blocks)
        all.insert(all.end(), block.operations.begin(), block.operations.end());
    std::sort(all.begin(), all.end());
    return all;
}

} // namespace

TEST_CASE("an observable's cone is what reaches it, no more", "[compile][cones]") {
    // A chain 0-1, 2-3, then 1-2: Y0 sees its pair, not what comes after on 1.
    Circuit circuit = circuit_on(5);
    circuit.add("h", {4});
    circuit.add("cx", {0, 1});
    circuit.add("cx", {2, 3});
    circuit.add("cx", {1, 2});
    circuit.add("h", {1});
    const Plan plan = plan_of(circuit, {"Y0", "X3", "Z4", "0.5*Z4"}, {"off", "on", false});
    REQUIRE(plan.cones.size() == 3);
    CHECK(sorted(plan.cones[0].layout) == std::vector<Qubit>{{0}, {1}});
    CHECK(operations_of(plan.cones[0]) == std::vector<int>{1});
    CHECK(sorted(plan.cones[1].layout) == std::vector<Qubit>{{2}, {3}});
    CHECK(operations_of(plan.cones[1]) == std::vector<int>{2});
    CHECK(sorted(plan.cones[2].layout) == std::vector<Qubit>{{4}});
    CHECK(plan.cones[2].observables == std::vector<int>{2, 3});
}

TEST_CASE("gates that commute out of a cone are left out", "[compile][cones]") {
    Circuit circuit = circuit_on(6);
    for (int q = 0; q < 6; ++q) circuit.add("h", {q});
    for (int q = 0; q < 6; ++q) circuit.add("cz", {q, (q + 1) % 6});
    circuit.add("rx", {2}, {0.4});
    circuit.add("rzz", {2, 5}, {0.3});
    circuit.add("cx", {2, 4});
    const Plan plan = plan_of(circuit, {"Z2", "X2"}, {"off", "on", false});
    REQUIRE(plan.cones.size() == 2);
    // Z2 does not see the RZZ and the CX, nor CZs that do not touch qubit 2.
    CHECK(sorted(plan.cones[0].layout) == std::vector<Qubit>{{1}, {2}, {3}});
    CHECK(operations_of(plan.cones[0]) == std::vector<int>{1, 2, 3, 7, 8, 12});
    // X2 sees both, and the CZs that touch 2 and 4; on 5 all is diagonal, so CZ(5,0) drops out.
    CHECK(sorted(plan.cones[1].layout) == std::vector<Qubit>{{1}, {2}, {3}, {4}, {5}});
    CHECK(std::abs(value_of(circuit, "Z2") - expectation(circuit, parse_pauli_sum("Z2"))) < 1e-14);
    CHECK(std::abs(value_of(circuit, "X2") - expectation(circuit, parse_pauli_sum("X2"))) < 1e-14);
}

TEST_CASE("without cones there is one state of all qubits", "[compile][cones]") {
    for (const CompileOptions& options :
         {CompileOptions{"on", "off", false}, CompileOptions{"auto", "on", true}}) {
        const Plan plan = plan_of(qcnn_layer(6), sinks_of(6), options);
        REQUIRE(plan.cones.size() == 1);
        CHECK(plan.cones[0].layout.size() == 6);
        CHECK(operations_of(plan.cones[0]).size() == plan.circuit.operations.size());
    }
    const Plan eager = plan_of(qcnn_layer(6), sinks_of(6), {"on", "on", true});
    CHECK(eager.cones[0].blocks.size() == eager.circuit.operations.size());
}

TEST_CASE("cones of the convolutional network stay small", "[compile][cones]") {
    for (const int qubits : {23, 100}) {
        const Plan plan = plan_of(qcnn_layer(qubits), sinks_of(qubits));
        INFO(qubits << " qubits: largest state " << largest_state(plan));
        CHECK(largest_state(plan) <= 13);
        std::vector<int> seen;
        for (const Cone& cone : plan.cones)
            seen.insert(seen.end(), cone.observables.begin(), cone.observables.end());
        std::sort(seen.begin(), seen.end());
        REQUIRE(seen.size() == static_cast<std::size_t>(qubits - qubits / 2));
        for (std::size_t j = 0; j < seen.size(); ++j) CHECK(seen[j] == static_cast<int>(j));
    }
}

TEST_CASE("cones of the network are its whole state", "[compile][cones]") {
    Dice dice(1);
    for (const int qubits : {5, 8, 9}) {
        const Circuit circuit = qcnn_layer(qubits);
        const auto symbols = random_values(dice, circuit.symbols.size());
        const auto whole =
            plan_expectations(plan_of(circuit, sinks_of(qubits), {"off", "off", false}), symbols,
                              Precision::double_precision);
        for (const CompileOptions& options : all_options()) {
            const auto values = plan_expectations(plan_of(circuit, sinks_of(qubits), options),
                                                  symbols, Precision::double_precision);
            for (std::size_t j = 0; j < values.size(); ++j)
                CHECK(std::abs(values[j] - whole[j]) < 1e-12);
        }
    }
}

TEST_CASE("fusion keeps every gate once and shared blocks shared", "[compile][fusion]") {
    for (int qubits = 1; qubits <= 6; ++qubits) {
        Dice dice(40 + static_cast<std::uint64_t>(qubits));
        const Circuit circuit = random_circuit(dice, qubits);
        const Plan plan =
            compile(circuit, {parse_pauli_sum("Z0")}, {false, false, true}, {"on", "off", false});
        REQUIRE(plan.cones.size() == 1);
        std::vector<int> all;
        for (std::size_t i = 0; i < circuit.operations.size(); ++i)
            all.push_back(static_cast<int>(i));
        CHECK(operations_of(plan.cones[0]) == all);
        const auto& blocks = plan.cones[0].blocks;
        const auto entries = std::count_if(blocks.begin(), blocks.end(), [](const Block& block) {
            return block.kind == Block::Kind::enter;
        });
        CHECK(blocks.size() - static_cast<std::size_t>(entries) < circuit.operations.size());
        for (const Block& block : plan.cones[0].blocks) {
            if (block.kind != Block::Kind::enter)
                CHECK(std::is_sorted(block.operations.begin(), block.operations.end()));
            // Operations with data do not join those with weights alone.
            bool varies = false;
            bool shared = false;
            for (int i : block.operations) {
                bool own_varies = false;
                bool own_symbols = false;
                for (const Angle& angle : circuit.operations[static_cast<std::size_t>(i)].angles)
                    for (int s : angle.symbols()) {
                        own_symbols = true;
                        own_varies = own_varies || s == 2;
                    }
                varies = varies || own_varies;
                shared = shared || (own_symbols && !own_varies);
            }
            CHECK(block.varying == varies);
            CHECK_FALSE((varies && shared));
        }
    }
}

TEST_CASE("an empty Pauli word is a phase, also beside gates that fuse", "[compile][fusion]") {
    Circuit circuit = circuit_on(1);
    circuit.add("h", {0});
    Operation phase;
    phase.gate = gate_id("pauli_rotation");
    phase.controls = {{Qubit{0}, true}};
    phase.angles = {0.8};
    circuit.operations.push_back(phase);
    circuit.add("rz", {0}, {0.3});
    for (const CompileOptions& options : all_options()) {
        INFO(option_text(options));
        CHECK(std::abs(value_of(circuit, "X0", {}, options) - std::cos(0.3 - 0.4)) < 1e-14);
    }
}

TEST_CASE("B22, B23: circuits without gates or without inputs", "[compile][cones]") {
    for (const CompileOptions& options : all_options()) {
        INFO(option_text(options));
        CHECK(value_of(circuit_on(2), "Z0*X1", {}, options) == 0.0);
        CHECK(value_of(circuit_on(2), "Z0", {}, options) == 1.0);
        Circuit flipped = circuit_on(1);
        flipped.add("x", {0});
        CHECK(value_of(flipped, "Z0", {}, options) == -1.0);
        const Plan plan = plan_of(flipped, {"Z0"}, options);
        for (const Method method : kMethods) {
            const auto gradient =
                plan_gradient(method, plan, {{}}, {{1.0}}, {}, Precision::double_precision);
            CHECK(gradient.shared.empty());
        }
    }
    const Plan nothing = plan_of(circuit_on(3), {});
    CHECK(plan_expectations(nothing, {}, Precision::double_precision).empty());
}

TEST_CASE("B45: constants and coefficients, alone and beside others", "[compile][cones]") {
    Circuit circuit = circuit_on(2);
    circuit.add("ry", {0}, {0.3});
    circuit.add("ry", {1}, {0.5});
    for (const CompileOptions& options : all_options()) {
        INFO(option_text(options));
        CHECK(std::abs(value_of(circuit, "0.7*I + 0.25*Z0*Z1 - 0.4*X1", {}, options) -
                       0.7178264455) < 1e-10);
        CHECK(value_of(circuit_on(1), "2.5*I", {}, options) == 2.5);
        CHECK(value_of(circuit, "2.5", {}, options) == 2.5);
    }
}

TEST_CASE("equal terms and equal observables count each time", "[compile][cones]") {
    Circuit circuit = circuit_on(2);
    circuit.add("ry", {0}, {0.3});
    CHECK(std::abs(value_of(circuit, "Z0 + Z0 + 0.5*Z0 - X0*X0") - (2.5 * std::cos(0.3) - 1)) <
          1e-14);
    for (const CompileOptions& options : all_options()) {
        // Two terms with one word that never met a parser.
        const PauliSum twice{{{1.0, {{Qubit{0}, 'Z'}}}, {0.5, {{Qubit{0}, 'Z'}}}}};
        const Plan plan = compile(circuit, {twice, parse_pauli_sum("Z0"), twice}, {}, options);
        const auto values = plan_expectations(plan, {}, Precision::double_precision);
        CHECK(std::abs(values[0] - 1.5 * std::cos(0.3)) < 1e-14);
        CHECK(std::abs(values[1] - std::cos(0.3)) < 1e-14);
        CHECK(values[2] == values[0]);
    }
}

TEST_CASE("B49: idle qubits, and observables on qubits that are not there", "[compile][cones]") {
    Circuit circuit = circuit_on(2);
    circuit.add("ry", {0}, {0.3});
    for (const CompileOptions& options : all_options()) {
        CHECK(std::abs(value_of(circuit, "Z0*Z1", {}, options) - std::cos(0.3)) < 1e-14);
        CHECK(std::abs(value_of(circuit, "Z1", {}, options) - 1) < 1e-14);
        try {
            value_of(circuit, "Z0 + X2", {}, options);
            FAIL("accepted");
        } catch (const Error& error) {
            CHECK(error.kind() == Kind::usage);
            CHECK(contains(error.what(), "acts on qubit 2"));
            CHECK(contains(error.what(), "2 qubits"));
        }
    }
}

TEST_CASE("a circuit of thousands of gates compiles in no time", "[compile][cones]") {
    const auto start = std::chrono::steady_clock::now();
    const Plan plan = plan_of(qcnn_layer(200), sinks_of(200));
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    CHECK(plan.circuit.operations.size() > 4000);
    CHECK(taken.count() < 5.0);
}
