/// Timing one circuit.
#include "wavetrain/config/bench_circuit.hpp"

#include "wavetrain/base/parallel.hpp"
#include "wavetrain/base/text.hpp"
#include "wavetrain/compile/cost.hpp"

#include <algorithm>
#include <chrono>
#include <limits>

namespace wavetrain {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Per symbol: differs within the batch.
std::vector<bool> varying_symbols(const CircuitBench& bench) {
    std::vector<bool> varying(bench.circuit.symbols.size(), bench.batch > 1 && bench.vary.empty());
    std::vector<std::string> names;
    for (const Input& input : bench.circuit.inputs) names.push_back(input.name);
    for (const std::string& name : bench.vary) {
        const Input* input = bench.circuit.find_input(name);
        if (!input)
            fail(Kind::usage, "--vary {}: the circuit has no such input{}", name,
                 suggestion(name, names));
        for (int i = 0; i < input->size; ++i)
            varying[static_cast<std::size_t>(input->first + i)] = true;
    }
    return varying;
}

/// The batch, cut into one part for each thread.
class Batch {
public:
    Batch(const CircuitBench& bench, const Plan& plan) : bench_(bench), plan_(plan) {
        constexpr double kStep = 1e-3;
        for (std::size_t i = 0; i < bench.batch; ++i) {
            std::vector<double>& own = executions_.emplace_back(bench.symbols);
            for (std::size_t s = 0; s < own.size(); ++s)
                if (plan.varying[s]) own[s] += kStep * static_cast<double>(i);
        }
        parts_ = std::min<std::size_t>(static_cast<std::size_t>(bench.threads), bench.batch);
    }

    /// One pass; the results of the first execution.
    std::vector<double> run() const {
        std::vector<BoundCone> bound;
        for (const Cone& cone : plan_.cones) bound.emplace_back(plan_, cone, bench_.symbols);
        std::vector<std::vector<double>> found(bound.size() * parts_);
        // Many executions are shared out among threads, a single one shares out its state.
        const int inner = parts_ > 1 ? 1 : bench_.threads;
        parallel_for(found.size(), parts_ > 1 ? bench_.threads : 1, [&](std::size_t task, int) {
            const std::size_t part = task % parts_;
            const std::size_t first = part * bench_.batch / parts_;
            const std::size_t last = (part + 1) * bench_.batch / parts_;
            const BoundCone& own = bound[task / parts_];
            found[task] = bench_.gradient ? gradient(own, first, last, inner)
                                          : forward(own, first, last, inner);
        });
        return collect(found);
    }

private:
    std::vector<double> forward(const BoundCone& bound, std::size_t first, std::size_t last,
                                int threads) const {
        return evaluate(bound, std::span(executions_).subspan(first, last - first),
                        bench_.precision, threads)
            .front();
    }

    std::vector<double> gradient(const BoundCone& bound, std::size_t first, std::size_t last,
                                 int threads) const {
        const auto from = executions_.begin() + static_cast<std::ptrdiff_t>(first);
        const auto to = executions_.begin() + static_cast<std::ptrdiff_t>(last);
        const std::size_t observables = bound.cone().observables.size();
        const GradientJob job{plan_,
                              bound.cone(),
                              bound,
                              {from, to},
                              std::vector(last - first, std::vector<double>(observables, 1.0)),
                              std::vector<bool>(bench_.circuit.symbols.size(), true)};
        const ConeGradient found = differentiate(bench_.method, job, bench_.precision, threads);
        std::vector<double> values = found.shared;
        for (std::size_t s = 0; s < values.size(); ++s)
            if (plan_.varying[s]) values[s] = found.varying.front()[s];
        return values;
    }

    /// Expectations in the order of the observables; gradients of the cones added up.
    std::vector<double> collect(const std::vector<std::vector<double>>& found) const {
        std::vector<double> values(
            bench_.gradient ? bench_.circuit.symbols.size() : plan_.observables.size(), 0.0);
        for (std::size_t c = 0; c < plan_.cones.size(); ++c) {
            const std::vector<double>& own = found[c * parts_];
            for (std::size_t i = 0; i < own.size(); ++i)
                values[bench_.gradient ? i
                                       : static_cast<std::size_t>(plan_.cones[c].observables[i])] +=
                    own[i];
        }
        return values;
    }

    const CircuitBench& bench_;
    const Plan& plan_;
    std::vector<std::vector<double>> executions_;
    std::size_t parts_ = 1;
};

} // namespace

CircuitTiming bench_circuit(const CircuitBench& bench) {
    CircuitTiming timing;
    const auto start = Clock::now();
    CompileOptions options = bench.compile;
    if (bench.observables.empty()) options.light_cones = "off";
    const Plan plan = compile(bench.circuit, bench.observables, varying_symbols(bench), options);
    timing.compile_seconds = seconds_since(start);
    const int states = bench.gradient ? states_of(bench.method) : 1;
    const int workers =
        static_cast<int>(std::min(static_cast<std::size_t>(bench.threads), bench.batch));
    check_memory(plan, bench.precision, states, workers);
    timing.bytes = plan_bytes(plan, bench.precision, states, workers);
    for (const Cone& cone : plan.cones)
        timing.flops += !bench.gradient                   ? forward_flops(cone)
                        : bench.method == Method::adjoint ? adjoint_flops(cone)
                                                          : shift_flops(plan, cone);
    const Batch batch(bench, plan);
    double best = std::numeric_limits<double>::infinity();
    for (int i = 0; i < bench.repeat; ++i) {
        const auto pass = Clock::now();
        timing.values = batch.run();
        best = std::min(best, seconds_since(pass));
    }
    timing.seconds_per_circuit = best / static_cast<double>(bench.batch);
    return timing;
}

} // namespace wavetrain
