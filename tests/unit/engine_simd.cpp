/// Every SIMD target against the one without vectors: expectations, gradients, all ways to run.
#include "catch.hpp"
#include "laws.hpp"

#include "wavetrain/engine/simd.hpp"

#include <cmath>

using namespace wavetrain;
using namespace wavetrain::test;

namespace {

/// Uses a target for the life of a test.
struct UseSimd {
    explicit UseSimd(SimdTarget target) { use_simd(simd_name(target)); }
    ~UseSimd() { use_simd("auto"); }
};

struct Numbers {
    std::vector<double> values;
    ConeGradient gradient;
};

Numbers run_all(const Plan& plan, const std::vector<std::vector<double>>& symbols,
                Precision precision) {
    const std::vector<std::vector<double>> upstream(
        symbols.size(), std::vector<double>(plan.observables.size(), 0.7));
    return {plan_expectations(plan, symbols.front(), precision),
            plan_gradient(Method::adjoint, plan, symbols, upstream,
                          std::vector<bool>(plan.circuit.symbols.size(), true), precision)};
}

double largest_difference(const Numbers& a, const Numbers& b) {
    double largest = 0;
    const auto compare = [&](const std::vector<double>& x, const std::vector<double>& y) {
        REQUIRE(x.size() == y.size());
        for (std::size_t i = 0; i < x.size(); ++i)
            largest = std::max(largest, std::abs(x[i] - y[i]));
    };
    compare(a.values, b.values);
    compare(a.gradient.shared, b.gradient.shared);
    for (std::size_t s = 0; s < a.gradient.varying.size(); ++s)
        compare(a.gradient.varying[s], b.gradient.varying[s]);
    return largest;
}

/// Does its arithmetic have fused multiply-add?
bool has_fma(SimdTarget target) {
    return target != SimdTarget::scalar && target != SimdTarget::sse4;
}

} // namespace

TEST_CASE("every SIMD target agrees with the scalar one to rounding", "[engine][simd][law]") {
    const std::vector<SimdTarget> targets = simd_targets();
    REQUIRE(targets.front() == SimdTarget::scalar);
    for (int qubits = 1; qubits <= 8; ++qubits) {
        Dice dice(700 + static_cast<std::uint64_t>(qubits));
        const Circuit circuit = random_circuit(dice, qubits);
        std::vector<PauliSum> observables;
        for (int j = 0; j < 2; ++j) observables.push_back(random_observable(dice, qubits));
        std::vector<std::vector<double>> symbols;
        for (int s = 0; s < 11; ++s) { // a full group of lanes and some more
            symbols.push_back(random_values(dice, 3));
            symbols.back()[0] = symbols.front()[0];
            symbols.back()[1] = symbols.front()[1];
        }
        for (const CompileOptions& options : all_options()) {
            const Plan plan = compile(circuit, observables, {false, false, true}, options);
            for (const Precision precision :
                 {Precision::single_precision, Precision::double_precision}) {
                const auto with = [&](SimdTarget target) {
                    const UseSimd use(target);
                    return run_all(plan, symbols, precision);
                };
                const Numbers scalar = with(SimdTarget::scalar);
                double scale = 0;
                for (const PauliSum& observable : observables)
                    scale = std::max(scale, scale_of(observable));
                Numbers fused; // of the first target with fused multiply-add
                for (SimdTarget target : targets) {
                    INFO(simd_name(target)
                         << ", " << qubits << " qubits, " << option_text(options));
                    const Numbers own = with(target);
                    CHECK(largest_difference(own, scalar) <
                          100 * tolerance(precision, circuit.operations.size(), scale));
                    if (!has_fma(target)) continue;
                    if (fused.values.empty()) fused = own;
                    CHECK(largest_difference(own, fused) == 0.0);
                }
            }
        }
    }
}

TEST_CASE("a SIMD target must exist and be there", "[engine][simd]") {
    CHECK_THROWS_AS(use_simd("avx3"), Error);
    for (const char* name : {"sse4", "avx2", "avx512", "neon"}) {
        bool have = false;
        for (SimdTarget target : simd_targets()) have = have || simd_name(target) == name;
        if (have) {
            use_simd(name);
            CHECK(simd_name(simd_in_use()) == name);
        } else {
            CHECK_THROWS_AS(use_simd(name), Error);
        }
    }
    use_simd("auto");
    CHECK(simd_in_use() == simd_targets().back());
}
