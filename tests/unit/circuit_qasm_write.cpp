/// OpenQASM out: what is written reads back to the same unitary.
#include "catch.hpp"
#include "oracle.hpp"

#include "wavetrain/base/random.hpp"
#include "wavetrain/circuit/qasm.hpp"

#include <cmath>

using namespace wavetrain;
using namespace wavetrain::test;

namespace {

/// Errors of a few roundings per gate, a decomposition has up to some hundred gates.
constexpr double kClose = 1e-11;

std::vector<double> some_values(std::size_t count) {
    std::vector<double> values;
    for (std::size_t i = 0; i < count; ++i) values.push_back(0.37 + 0.21 * static_cast<double>(i));
    return values;
}

Circuit read(const std::string& text) { return parse_qasm(text, "written.qasm"); }

/// One gate with further controls (signs by bits) on shuffled qubits, its angles inputs.
Circuit single(const GateInfo& row, int controls, unsigned signs) {
    Circuit circuit;
    const int own = row.controls + std::max(row.targets, 0);
    circuit.qubits = std::max(1, own + controls);
    std::vector<Angle> angles;
    for (std::size_t i = 0; i < row.parameters.size(); ++i)
        angles.push_back(2.0 * circuit.add_input(format("in{}", i)) + 0.1);
    std::vector<Qubit> operands;
    for (int q = 0; q < own; ++q) operands.push_back(Qubit{circuit.qubits - 1 - q});
    std::vector<Control> extra;
    for (int c = 0; c < controls; ++c) extra.push_back({Qubit{c}, (signs >> c & 1) != 0});
    circuit.add(gate_id(row.name), operands, angles, extra);
    return circuit;
}

void check_round_trip(const Circuit& circuit) {
    const auto values = some_values(circuit.symbols.size());
    const Matrix expected = circuit_unitary(circuit, values);
    const std::string two = write_qasm(circuit, 2, values);
    const std::string three = write_qasm(circuit, 3);
    const std::string bound = write_qasm(circuit, 3, values);
    INFO(two << "\n" << three);
    CHECK(distance_up_to_phase(circuit_unitary(read(two)), expected) < kClose);
    const Circuit again = read(three);
    CHECK(again.symbols == circuit.symbols);
    CHECK(distance(circuit_unitary(again, values), expected) < kClose);
    CHECK(distance(circuit_unitary(read(bound)), expected) < kClose);
}

Circuit random_circuit(std::uint64_t seed) {
    Circuit circuit;
    circuit.qubits = 5;
    const auto inputs = circuit.add_array("w", 3);
    std::uint64_t counter = 0;
    const auto draw = [&](std::size_t below) {
        return static_cast<std::size_t>(random_bits(seed, Purpose::checks, counter++) % below);
    };
    for (int i = 0; i < 12; ++i) {
        const GateInfo& row = gate_table()[draw(gate_table().size())];
        if (row.targets < 0) continue;
        const auto order =
            random_permutation(seed, Purpose::checks, 5, 100 + static_cast<unsigned>(i));
        std::vector<Qubit> operands;
        for (int q = 0; q < row.controls + row.targets; ++q)
            operands.push_back(Qubit{static_cast<int>(order[static_cast<std::size_t>(q)])});
        std::vector<Angle> angles;
        for (std::size_t k = 0; k < row.parameters.size(); ++k)
            angles.push_back(draw(2) == 0
                                 ? Angle(1.7 * random_uniform(seed, Purpose::data, counter))
                                 : inputs[draw(3)] * inputs[draw(3)] - 0.2);
        std::vector<Control> controls;
        if (operands.size() < 5 && draw(3) == 0)
            controls.push_back({Qubit{static_cast<int>(order[operands.size()])}, draw(2) == 0});
        circuit.add(gate_id(row.name), operands, angles, controls);
    }
    return circuit;
}

std::string message(const Circuit& circuit, int version) {
    try {
        write_qasm(circuit, version);
    } catch (const Error& error) {
        CHECK(error.kind() == Kind::usage);
        return error.what();
    }
    return "written";
}

} // namespace

TEST_CASE("every gate with any controls is written and read back", "[circuit][qasm]") {
    for (const GateInfo& row : gate_table())
        for (int controls = 0; controls <= 3; ++controls) {
            if (row.targets < 0 || row.controls + row.targets + controls > 5) continue;
            INFO(row.name << " with " << controls);
            check_round_trip(single(row, controls, ~0U));
            if (controls > 0) check_round_trip(single(row, controls, 2));
        }
}

TEST_CASE("random circuits are written and read back", "[circuit][qasm]") {
    for (std::uint64_t seed = 0; seed < 25; ++seed) {
        INFO("seed " << seed);
        check_round_trip(random_circuit(seed));
    }
}

TEST_CASE("Pauli rotations are written", "[circuit][qasm]") {
    for (const std::string word : {"X", "XY", "ZIY", "II"})
        for (const int controls : {0, 1}) {
            Circuit circuit;
            circuit.qubits = 4;
            Operation rotation;
            rotation.gate = gate_id("pauli_rotation");
            rotation.paulis = word;
            rotation.angles = {circuit.add_input("theta")};
            for (std::size_t i = 0; i < word.size(); ++i)
                rotation.targets.push_back(Qubit{static_cast<int>(i)});
            if (controls > 0) rotation.controls = {{Qubit{3}, true}};
            circuit.operations.push_back(rotation);
            check_round_trip(circuit);
        }
}

TEST_CASE("matrices: version 3 only", "[circuit][qasm]") {
    Circuit circuit;
    circuit.qubits = 2;
    circuit.matrices.push_back(reference_matrix("fsim", some_values(2)));
    Operation use;
    use.gate = gate_id("unitary");
    use.matrix = 0;
    use.targets = {Qubit{1}, Qubit{0}};
    circuit.operations = {use};
    CHECK(distance(circuit_unitary(read(write_qasm(circuit, 3))), circuit_unitary(circuit)) <
          kClose);
    CHECK(message(circuit, 2).find("gate 'unitary' cannot be written") != std::string::npos);
}

TEST_CASE("what version 2 cannot say is refused by name", "[circuit][qasm]") {
    Circuit circuit;
    circuit.qubits = 1;
    circuit.add("rx", {0}, {circuit.add_input("theta")});
    circuit.add_array("w", 2);
    CHECK(message(circuit, 2) == "OpenQASM 2 has no inputs: bind 'theta', 'w'");
    CHECK(message(circuit, 4).find("OpenQASM 4 is not known") != std::string::npos);
    Circuit wide;
    wide.qubits = 10;
    std::vector<Control> controls;
    for (int q = 1; q < 10; ++q) controls.push_back({Qubit{q}, true});
    wide.add(gate_id("h"), std::vector<Qubit>{{0}}, {}, controls);
    CHECK(message(wide, 2).find("gate 'h' has 9 controls") != std::string::npos);
}

TEST_CASE("inputs keep their names where they can", "[circuit][qasm]") {
    Circuit circuit;
    circuit.qubits = 1;
    for (const char* name : {"theta", "x", "q", "input", "a0"})
        circuit.add("rx", {0}, {circuit.add_input(name)});
    const std::string text = write_qasm(circuit, 3);
    INFO(text);
    CHECK(text.find("input float[64] theta;\n") != std::string::npos);
    CHECK(text.find("// input 'x' is called x_ here\ninput float[64] x_;\n") != std::string::npos);
    const auto values = some_values(5);
    CHECK(distance(circuit_unitary(read(text), values), circuit_unitary(circuit, values)) < kClose);
    Circuit greek;
    greek.qubits = 1;
    for (const char* name : {"θ₁", "π", "a b"}) greek.add("rx", {0}, {greek.add_input(name)});
    CHECK(read(write_qasm(greek, 3)).symbols == std::vector<std::string>{"θ₁", "π_", "a_b"});
    std::vector<double> some = values;
    some[0] = std::nan("");
    const Circuit open = read(write_qasm(circuit, 3, some));
    CHECK(open.symbols == std::vector<std::string>{"theta"});
    CHECK(distance(circuit_unitary(open, std::vector<double>{values[0]}),
                   circuit_unitary(circuit, values)) < kClose);
}

TEST_CASE("numbers read back to the same double", "[circuit][qasm]") {
    for (const double value : {1e-5, 1e20, 0.1, 1.0 / 3, -2.0, 123456789012345680000.0, 5e-324})
        for (const int version : {2, 3}) {
            Circuit circuit;
            circuit.qubits = 1;
            circuit.add("rx", {0}, {value});
            const Circuit again = read(write_qasm(circuit, version));
            CHECK(again.operations.at(0).angles.at(0).value({}) == value);
        }
}
