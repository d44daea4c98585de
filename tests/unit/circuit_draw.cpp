/// Text drawings.
#include "catch.hpp"

#include "wavetrain/circuit/draw.hpp"

#include <numbers>

using namespace wavetrain;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::size_t start = 0;
    while (start < text.size()) {
        const std::size_t end = text.find('\n', start);
        lines.push_back(text.substr(start, end - start));
        start = end + 1;
    }
    return lines;
}

std::size_t characters(const std::string& text) {
    std::size_t count = 0;
    for (const char c : text) count += (static_cast<unsigned char>(c) & 0xC0) != 0x80 ? 1U : 0U;
    return count;
}

} // namespace

TEST_CASE("a drawing", "[circuit][draw]") {
    Circuit circuit;
    circuit.qubits = 3;
    circuit.add("h", {0});
    circuit.add("cx", {0, 2});
    circuit.add("rx", {1}, {std::numbers::pi / 2});
    circuit.add("cz", {1, 2});
    circuit.add("swap", {0, 1});
    CHECK(draw(circuit) == "     ┌───┐\n"
                           "q0: ─┤ H ├─●───────────────×─\n"
                           "     └───┘ │ ┌─────────┐   │\n"
                           "q1: ───────┼─┤ RX(π/2) ├─●─×─\n"
                           "           │ └─────────┘ │\n"
                           "q2: ───────⊕─────────────●───\n");
}

TEST_CASE("negative controls, boxes on several qubits, symbols, phases", "[circuit][draw]") {
    Circuit circuit;
    circuit.qubits = 3;
    const Angle w = circuit.add_input("w");
    circuit.add("xpow", {0}, {w + 1.0});
    circuit.add("xpow", {0}, {0.25});
    circuit.add("rzz", {0, 2}, {std::numbers::pi * w});
    circuit.add(gate_id("ry"), std::vector<Qubit>{{1}}, {0.12345678}, {{Qubit{2}, false}});
    circuit.add("gphase", {}, {std::numbers::pi});
    const std::string text = draw(circuit);
    for (const char* part :
         {"X^(w + 1)", "X^0.25", "RZZ(π*w)", "RY(0.1235)", "○", "┬", "┴", "global phase: π\n"}) {
        INFO(part << "\n" << text);
        CHECK(text.find(part) != std::string::npos);
    }
}

TEST_CASE("all lines of a block are equally long, and no longer than the width",
          "[circuit][draw]") {
    Circuit circuit;
    circuit.qubits = 4;
    for (int i = 0; i < 30; ++i) {
        circuit.add("ry", {i % 4}, {0.1 * i});
        circuit.add("cx", {i % 4, (i + 2) % 4});
    }
    for (const int width : {40, 80}) {
        const auto lines = lines_of(draw(circuit, width));
        std::size_t wires = 0;
        for (const std::string& line : lines) {
            CHECK(characters(line) <= static_cast<std::size_t>(width));
            wires += line.starts_with("q0: ") ? 1U : 0U;
        }
        CHECK(wires > 1);
    }
    CHECK(lines_of(draw(circuit)).size() < 15);
}

TEST_CASE("empty circuits have a drawing", "[circuit][draw]") {
    CHECK(draw(Circuit{}).empty());
    Circuit circuit;
    circuit.qubits = 2;
    CHECK(draw(circuit) == "q0: ─\n\nq1: ─\n");
}

TEST_CASE("every gate of the table has a drawing", "[circuit][draw]") {
    for (const GateInfo& row : gate_table()) {
        if (row.targets < 0) continue;
        Circuit circuit;
        circuit.qubits = 4;
        std::vector<Qubit> operands;
        for (int q = 0; q < row.controls + row.targets; ++q) operands.push_back(Qubit{3 - q});
        circuit.add(gate_id(row.name), operands,
                    std::vector<Angle>(row.parameters.size(), Angle(0.5)));
        INFO(draw(circuit));
        CHECK(lines_of(draw(circuit)).size() >= 5);
    }
}
