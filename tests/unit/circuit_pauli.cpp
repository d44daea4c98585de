/// Pauli sums: reading, products, sums, refusals.
#include "catch.hpp"
#include "oracle.hpp"

#include "wavetrain/circuit/pauli.hpp"

using namespace wavetrain;
using namespace wavetrain::test;

namespace {

std::string read_back(std::string_view text) { return pauli_text(parse_pauli_sum(text)); }

std::string message(std::string_view text, const Place& place = {}) {
    try {
        parse_pauli_sum(text, place);
    } catch (const Error& error) {
        CHECK(error.kind() == Kind::usage);
        return error.what();
    }
    return "no error";
}

} // namespace

TEST_CASE("sums are read and written", "[circuit][pauli]") {
    CHECK(read_back("0.5*X0*Z1 - Z2 + 0.25") == "0.5*X0*Z1 - Z2 + 0.25");
    CHECK(read_back("  -2.5 Z12   X3") == "-2.5*X3*Z12");
    CHECK(read_back("I") == "1");
    CHECK(read_back("3*I*2") == "6");
    CHECK(read_back("1e-3*Y0") == "0.001*Y0");
    CHECK(read_back("0.5*Z0Z1") == "0.5*Z0*Z1");
    CHECK(largest_qubit(parse_pauli_sum("Z3 + X11 - 2")) == 11);
    CHECK(largest_qubit(parse_pauli_sum("2")) == -1);
    CHECK(support(parse_pauli_sum("Z3*X1 + X3")) == std::vector<Qubit>{{1}, {3}});
}

TEST_CASE("equal terms add up, whatever their order", "[circuit][pauli]") {
    CHECK(read_back("Z0*X1 + X1*Z0") == "2*Z0*X1");
    CHECK(read_back("Z0 - Z0 + 1 + 2") == "0*Z0 + 3");
}

TEST_CASE("repeated qubits multiply", "[circuit][pauli]") {
    CHECK(read_back("X0*X0") == "1");
    CHECK(read_back("X0*Y0*Z0*X1*Y1*Z1") == "-1");
    CHECK(read_back("X0*Y0*X1*Y1") == "-Z0*Z1");
    CHECK(read_back("X0*Y1*X0") == "Y1");
}

TEST_CASE("what is no observable is refused", "[circuit][pauli]") {
    CHECK(message("X0*Y0").find("not Hermitian") != std::string::npos);
    CHECK(message("").find("empty") != std::string::npos);
    CHECK(message("Z").find("qubit number") != std::string::npos);
    CHECK(message("Z0 Z1 +").find("found the end") != std::string::npos);
    CHECK(message("Q0").find("found 'Q'") != std::string::npos);
    CHECK(message("1e999*Z0").find("finite") != std::string::npos);
    CHECK(message("Z99999999999").find("too large") != std::string::npos);
    CHECK(message("Z0 + Q1", Place{"f.toml", 3, 10}).starts_with("f.toml:3:15: "));
}

TEST_CASE("expectations of sums", "[circuit][pauli]") {
    Circuit circuit;
    circuit.qubits = 2;
    circuit.add("ry", {0}, {0.3});
    circuit.add("ry", {1}, {0.5});
    const auto value = [&](std::string_view text) {
        return expectation(circuit, parse_pauli_sum(text));
    };
    CHECK(std::abs(value("0.7*I + 0.25*Z0*Z1 - 0.4*X1") - 0.7178264455) < 1e-10);
    circuit.operations.clear();
    CHECK(std::abs(value("2.5*I") - 2.5) < 1e-14);
}
