/// Laws of gradients: adjoint, parameter shift, finite differences and the oracle agree.
#include "catch.hpp"
#include "laws.hpp"
#include "oracle.hpp"

#include <cmath>

using namespace wavetrain;
using namespace wavetrain::test;

namespace {

/// A gradient problem over the symbols a, b (shared) and x (its own value in every sample).
struct Problem {
    Circuit circuit;
    std::vector<PauliSum> observables;
    std::vector<bool> varying{false, false, true};
    std::vector<std::vector<double>> symbols;
    std::vector<std::vector<double>> upstream;
    std::vector<bool> wanted{true, true, true};
};

Problem problem_on(int qubits) {
    Problem problem;
    problem.circuit = circuit_on(qubits);
    for (const char* name : {"a", "b", "x"}) problem.circuit.add_input(name);
    return problem;
}

void add_samples(Dice& dice, Problem& problem, std::size_t samples) {
    for (int j = 0; j < 2; ++j)
        problem.observables.push_back(random_observable(dice, problem.circuit.qubits));
    const auto shared = random_values(dice, 2);
    for (std::size_t r = 0; r < samples; ++r) {
        problem.symbols.push_back({shared[0], shared[1], dice.number(-1, 1)});
        problem.upstream.push_back(random_values(dice, 2));
    }
}

/// The weighted sum of a sample's observables as one observable.
PauliSum combined(const Problem& problem, std::size_t sample) {
    PauliSum sum;
    for (std::size_t j = 0; j < problem.observables.size(); ++j)
        for (PauliTerm term : problem.observables[j].terms) {
            term.coefficient *= problem.upstream[sample][j];
            sum.terms.push_back(term);
        }
    return sum;
}

/// By the dense oracle alone, with a step small enough for frequencies of 4 pi.
ConeGradient oracle_gradient(const Problem& problem) {
    constexpr double kStep = 0.004;
    ConeGradient result{std::vector<double>(3, 0.0), {}};
    for (std::size_t r = 0; r < problem.symbols.size(); ++r) {
        const PauliSum observable = combined(problem, r);
        result.varying.emplace_back(3, 0.0);
        for (std::size_t s = 0; s < 3; ++s) {
            std::vector<double> values = problem.symbols[r];
            const double slope = derivative(
                [&](double at) {
                    values[s] = at;
                    return expectation(problem.circuit, observable, values);
                },
                problem.symbols[r][s], kStep);
            if (!problem.wanted[s]) continue;
            (problem.varying[s] ? result.varying[r][s] : result.shared[s]) += slope;
        }
    }
    return result;
}

double largest_difference(const ConeGradient& a, const ConeGradient& b) {
    double worst = 0;
    for (std::size_t s = 0; s < a.shared.size(); ++s)
        worst = std::max(worst, std::abs(a.shared[s] - b.shared[s]));
    for (std::size_t r = 0; r < a.varying.size(); ++r)
        for (std::size_t s = 0; s < a.varying[r].size(); ++s)
            worst = std::max(worst, std::abs(a.varying[r][s] - b.varying[r][s]));
    return worst;
}

ConeGradient by(Method method, const Problem& problem, const CompileOptions& options,
                Precision precision) {
    const Plan plan = compile(problem.circuit, problem.observables, problem.varying, options);
    return plan_gradient(method, plan, problem.symbols, problem.upstream, problem.wanted,
                         precision);
}

/// All methods against the oracle.
void check_problem(const Problem& problem, const CompileOptions& options) {
    constexpr double kExact = 1e-10;     // of the oracle's difference
    constexpr double kDifference = 1e-7; // of the stencil at frequencies of 4 pi
    constexpr double kSingle = 2e-4;
    const ConeGradient expected = oracle_gradient(problem);
    const auto off = [&](Method method, Precision precision) {
        return largest_difference(by(method, problem, options, precision), expected);
    };
    CHECK(off(Method::adjoint, Precision::double_precision) < kExact);
    CHECK(off(Method::parameter_shift, Precision::double_precision) < kExact);
    CHECK(off(Method::finite_difference, Precision::double_precision) < kDifference);
    CHECK(off(Method::adjoint, Precision::single_precision) < kSingle);
    CHECK(off(Method::parameter_shift, Precision::single_precision) < kSingle);
    CHECK(off(Method::finite_difference, Precision::single_precision) < kDifference);
}

} // namespace

TEST_CASE("every row's gradient, with controls and angles of every form", "[gradient][law]") {
    Dice dice(10);
    const auto options = all_options();
    std::size_t turn = 0;
    for (const GateInfo& row : gate_table()) {
        if (row.parameters.empty()) continue;
        for (int controls = 0; controls <= 2; ++controls) {
            Problem problem =
                problem_on(std::max(1, row.controls + std::abs(row.targets)) + controls);
            add_frame(dice, problem.circuit);
            REQUIRE(add_row(dice, problem.circuit, row, controls));
            // Angles that surely depend on symbols: b is in all, x in the first.
            auto& angles = problem.circuit.operations.back().angles;
            angles[0] = 0.4 * Angle::symbol(0) * Angle::symbol(2) + Angle::symbol(1) - 0.3;
            for (std::size_t i = 1; i < angles.size(); ++i)
                angles[i] = angles[i] + 0.5 * Angle::symbol(1);
            add_frame(dice, problem.circuit);
            add_samples(dice, problem, 2);
            const CompileOptions& used = options[turn++ % options.size()];
            INFO(row.name << " with " << controls << " further controls, " << option_text(used));
            check_problem(problem, used);
        }
    }
}

TEST_CASE("random circuits have one gradient, whatever method and options", "[gradient][law]") {
    for (int qubits = 1; qubits <= 5; ++qubits) {
        Dice dice(20 + static_cast<std::uint64_t>(qubits));
        Problem problem = problem_on(qubits);
        problem.circuit = random_circuit(dice, qubits);
        add_samples(dice, problem, 3);
        const CompileOptions plain{"off", "off", false};
        const ConeGradient expected =
            by(Method::adjoint, problem, plain, Precision::double_precision);
        for (const CompileOptions& options : all_options()) {
            INFO(qubits << " qubits, " << option_text(options));
            for (const Method method : {Method::adjoint, Method::parameter_shift})
                CHECK(largest_difference(by(method, problem, options, Precision::double_precision),
                                         expected) < 1e-10);
            CHECK(largest_difference(
                      by(Method::adjoint, problem, options, Precision::single_precision),
                      expected) < 1e-2);
        }
        // Five points see the third and higher derivatives of a hundred gates.
        CHECK(largest_difference(
                  by(Method::finite_difference, problem, plain, Precision::double_precision),
                  expected) < 1e-4);
    }
}

TEST_CASE("a random circuit's gradient is the oracle's", "[gradient][law]") {
    Dice dice(30);
    Problem problem = problem_on(3);
    add_frame(dice, problem.circuit);
    for (const GateInfo& row : gate_table())
        if (!row.parameters.empty() && dice.below(4) == 0)
            add_row(dice, problem.circuit, row, dice.below(2));
    add_samples(dice, problem, 3);
    for (const CompileOptions& options : all_options()) {
        INFO(option_text(options));
        check_problem(problem, options);
    }
}

TEST_CASE("only what is wanted is computed", "[gradient][law]") {
    Dice dice(40);
    Problem problem = problem_on(3);
    problem.circuit = random_circuit(dice, 3);
    add_samples(dice, problem, 2);
    const auto all = by(Method::adjoint, problem, {}, Precision::double_precision);
    for (std::size_t only = 0; only < 3; ++only)
        for (const Method method : kMethods) {
            Problem one = problem;
            one.wanted = {only == 0, only == 1, only == 2};
            const auto part = by(method, one, {}, Precision::double_precision);
            for (std::size_t s = 0; s < 3; ++s) {
                const double allowed = method == Method::finite_difference ? 1e-3 : 1e-10;
                INFO(method_name(method) << ", symbol " << s << ", wanted " << only);
                CHECK(std::abs(part.shared[s] - (s == only ? all.shared[s] : 0)) < allowed);
                CHECK(std::abs(part.varying[1][s] - (s == only ? all.varying[1][s] : 0)) < allowed);
                if (s != only) CHECK(part.shared[s] == 0.0);
            }
        }
}

TEST_CASE("samples add up and do not touch each other", "[gradient][law]") {
    Dice dice(50);
    Problem problem = problem_on(4);
    problem.circuit = random_circuit(dice, 4);
    add_samples(dice, problem, 3);
    for (const Method method : {Method::adjoint, Method::parameter_shift}) {
        const auto all = by(method, problem, {}, Precision::double_precision);
        std::vector<double> sum(3, 0.0);
        for (std::size_t r = 0; r < 3; ++r) {
            Problem one = problem;
            one.symbols = {problem.symbols[r]};
            one.upstream = {problem.upstream[r]};
            const auto part = by(method, one, {}, Precision::double_precision);
            for (std::size_t s = 0; s < 3; ++s) sum[s] += part.shared[s];
            // A sample's own derivatives are the same bits alone and among others.
            CHECK(part.varying[0] == all.varying[r]);
        }
        for (std::size_t s = 0; s < 3; ++s) CHECK(std::abs(sum[s] - all.shared[s]) < 1e-11);
    }
}

TEST_CASE("differences do not lose their step at large values", "[gradient][law]") {
    for (const double at : {0.0, 100.0, 12345.0, -1e6}) {
        Problem problem = problem_on(1);
        problem.circuit.add("rx", {0}, {Angle::symbol(0)});
        problem.observables = {parse_pauli_sum("Z0")};
        problem.symbols = {{at, 0.0, 0.0}};
        problem.upstream = {{1.0}};
        for (const Method method : kMethods) {
            INFO(method_name(method) << " at " << at);
            const auto gradient = by(method, problem, {}, Precision::double_precision);
            CHECK(std::abs(gradient.shared[0] + std::sin(at)) < 1e-9);
        }
    }
}

TEST_CASE("shift rules are exact for their frequencies", "[gradient][law]") {
    for (const std::vector<double>& frequencies :
         {std::vector<double>{1.0}, {0.5, 1.0}, {2.0, 4.0}, {1.0, 3.0}, {0.7, 1.4, 2.1}}) {
        const auto f = [&](double t) {
            double sum = 0.4;
            for (double w : frequencies) sum += std::cos(w * t + w) + 0.3 * std::sin(w * t);
            return sum;
        };
        double exact = 0;
        for (double w : frequencies)
            exact += -w * std::sin(w * 0.8 + w) + 0.3 * w * std::cos(w * 0.8);
        double shifted = 0;
        for (const ShiftTerm& term : shift_rule(frequencies))
            shifted += term.coefficient * f(0.8 + term.shift);
        CHECK(std::abs(shifted - exact) < 1e-13);
    }
    CHECK(shift_rule({}).empty());
    CHECK_THROWS_AS(shift_rule(std::vector<double>{1.0, 1.5}), Error);
}
