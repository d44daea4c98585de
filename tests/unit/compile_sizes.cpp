/// Size arithmetic at its borders, and refusals before anything is allocated.
#include "catch.hpp"
#include "contains.hpp"
#include "laws.hpp"

#include <chrono>

using namespace wavetrain;
using namespace wavetrain::test;

namespace {

template <class Action> std::string refusal(Action action) {
    try {
        action();
    } catch (const Error& error) {
        CHECK(error.kind() == Kind::environment);
        return error.what();
    }
    return "accepted";
}

/// A chain that entangles all qubits, compiled as one state.
Plan chain(int qubits, const char* cones = "off") {
    Circuit circuit = circuit_on(qubits);
    circuit.add("h", {0});
    for (int q = 0; q + 1 < qubits; ++q) circuit.add("cx", {q, q + 1});
    return compile(circuit, {parse_pauli_sum(format("Z{}", qubits - 1))}, {}, {"on", cones, false});
}

} // namespace

TEST_CASE("B59: amplitudes are exact up to 62 qubits and refused above", "[compile][sizes]") {
    CHECK(state_amplitudes(0) == 1);
    CHECK(state_amplitudes(31) == 2147483648U);
    CHECK(state_amplitudes(32) == 4294967296U);
    CHECK(state_amplitudes(33) == 8589934592U);
    CHECK(state_amplitudes(62) == 4611686018427387904U);
    for (const int qubits : {63, 64, 300}) {
        const std::string text = refusal([&] { state_amplitudes(qubits); });
        CHECK(contains(text, format("{} qubits", qubits)));
        CHECK(contains(text, format("2^{}", qubits)));
    }
}

TEST_CASE("B59: bytes are exact or refused, never wrapped", "[compile][sizes]") {
    CHECK(state_bytes(31, 8) == 17179869184U);
    CHECK(state_bytes(32, 16) == 68719476736U);
    CHECK(state_bytes(36, 16) == 1099511627776U);
    CHECK(state_bytes(50, 16) == 18014398509481984U);
    CHECK(state_bytes(59, 16) == 9223372036854775808U);
    CHECK(state_bytes(60, 8) == 9223372036854775808U);
    CHECK(
        contains(refusal([] { state_bytes(60, 16); }), "18,446,744,073,709,551,616 bytes (2^64)"));
    CHECK(
        contains(refusal([] { state_bytes(62, 16); }), "73,786,976,294,838,206,464 bytes (2^66)"));
    CHECK(state_bytes_text(36, 16) == "1,099,511,627,776 bytes");
    CHECK(state_bytes_text(50, 16) == "18,014,398,509,481,984 bytes");
    CHECK(state_bytes_text(60, 8) == "9,223,372,036,854,775,808 bytes");
    CHECK(state_bytes_text(300, 16) == "2^304 bytes");
}

TEST_CASE("B59: a plan's bytes do not wrap with states and workers", "[compile][sizes]") {
    const Plan plan = chain(20);
    // 2^20 amplitudes in 2^11 states: a product of 2^31 amplitudes.
    CHECK(plan_bytes(plan, Precision::double_precision, 2048, 1) == 34359738368U);
    CHECK(plan_bytes(plan, Precision::single_precision, 2, 3) == 6U * 8388608U);
    const Plan large = chain(58);
    const std::uint64_t most = ~std::uint64_t{0};
    CHECK(plan_bytes(large, Precision::double_precision, 2, 1) == most / 2 + 1);
    CHECK(plan_bytes(large, Precision::double_precision, 2, 64) == most);
}

TEST_CASE("B58: states that do not fit are refused by their plan at once", "[compile][sizes]") {
    const auto start = std::chrono::steady_clock::now();
    for (const auto& [qubits, bytes] :
         {std::pair{36, "1,099,511,627,776"}, std::pair{50, "18,014,398,509,481,984"}}) {
        const Plan plan = chain(qubits);
        CHECK(largest_state(plan) == qubits);
        const std::string text =
            refusal([&] { check_memory(plan, Precision::double_precision, 1e15, 2e15, 2); });
        CHECK(contains(text, bytes));
        CHECK(contains(text, "1,000,000,000,000,000 bytes a rank"));
        CHECK(contains(text, "available"));
        CHECK(contains(text, "2 ranks on this host"));
    }
    for (const int qubits : {60, 62, 63, 64, 300}) {
        const Plan plan = chain(qubits);
        CHECK(largest_state(plan) == qubits);
        const std::string text =
            refusal([&] { check_memory(plan, Precision::double_precision, 2, 4); });
        CHECK(contains(text, format("2^{}", qubits + 4)));
    }
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    CHECK(taken.count() < 1.0);
    CHECK_NOTHROW(check_memory(chain(4), Precision::double_precision, 2, 4));
}

TEST_CASE("B59: a circuit may have any number of qubits if its cones are small",
          "[compile][sizes]") {
    Circuit circuit = circuit_on(300);
    for (int q = 0; q + 1 < 300; q += 2) {
        circuit.add("ry", {q}, {0.3});
        circuit.add("cx", {q, q + 1});
    }
    for (const char* cones : {"on", "auto"}) {
        const Plan plan = compile(circuit, {parse_pauli_sum("Z299"), parse_pauli_sum("Z63*Z64")},
                                  {}, {"on", cones, false});
        CHECK(largest_state(plan) <= 6);
        CHECK_NOTHROW(check_memory(plan, Precision::double_precision, 2, 1));
        const auto values = plan_expectations(plan, {}, Precision::double_precision);
        CHECK(std::abs(values[0] - std::cos(0.3)) < 1e-14);
        CHECK(std::abs(values[1] - std::cos(0.3) * std::cos(0.3)) < 1e-14);
    }
}
