/// The choice of the method, and finite differences.
#include "wavetrain/gradient/gradient.hpp"

#include "chain.hpp"
#include "methods.hpp"

namespace wavetrain {
namespace {

/// The step of the five-point stencil: with fourth-order error h^4 and rounding eps/h, near 1e-12
/// for frequencies of order pi. It does not grow with the symbol: gates are periodic in it, and a
/// power of two adds to values of any size that matters without rounding.
constexpr double kStep = 0x1.0p-11;

double value_at(const GradientJob& job, std::size_t sample, std::span<const double> symbols) {
    const BoundCone bound(job.plan, job.cone, symbols);
    return weighted(job.upstream[sample], evaluate(bound, Precision::double_precision));
}

double five_point(const GradientJob& job, std::size_t sample, std::size_t symbol) {
    std::vector<double> symbols = job.symbols[sample];
    const double center = symbols[symbol];
    const auto at = [&](double shift) {
        symbols[symbol] = center + shift;
        return value_at(job, sample, symbols);
    };
    const double near = at(kStep) - at(-kStep);
    const double far = at(2 * kStep) - at(-2 * kStep);
    return (8 * near - far) / (12 * kStep);
}

} // namespace

Method method_of(std::string_view name) {
    if (name == "parameter_shift") return Method::parameter_shift;
    if (name == "finite_difference") return Method::finite_difference;
    return Method::adjoint;
}

std::string_view method_name(Method method) {
    switch (method) {
    case Method::adjoint: return "adjoint";
    case Method::parameter_shift: return "parameter_shift";
    case Method::finite_difference: return "finite_difference";
    }
    return "adjoint";
}

int states_of(Method method) { return method == Method::finite_difference ? 1 : 2; }

ConeGradient differentiate_by_differences(const GradientJob& job) {
    ConeGradient gradient = empty_gradient(job);
    // Only symbols that some gate of this cone uses can have a derivative here.
    std::vector<bool> used(job.wanted.size(), false);
    for (const Block& block : job.cone.blocks)
        for (int operation : block.operations)
            for (const Angle& angle :
                 job.plan.circuit.operations[static_cast<std::size_t>(operation)].angles)
                for (int s : angle.symbols()) used[static_cast<std::size_t>(s)] = true;
    for (std::size_t sample = 0; sample < job.symbols.size(); ++sample)
        for (std::size_t s = 0; s < used.size(); ++s) {
            if (!used[s] || !job.wanted[s]) continue;
            const double derivative = five_point(job, sample, s);
            if (job.plan.varying[s])
                gradient.varying[sample][s] = derivative;
            else
                gradient.shared[s] += derivative;
        }
    return gradient;
}

ConeGradient differentiate(Method method, const GradientJob& job, Precision precision,
                           int threads) {
    if (job.symbols.empty()) return empty_gradient(job);
    // Gradients do not stop at every gate; an eager plan is checked on its way once before.
    if (job.plan.eager) evaluate(job.bound, job.symbols, precision);
    const bool single = precision == Precision::single_precision;
    switch (method) {
    case Method::parameter_shift:
        return single ? differentiate_by_shift<float>(job, threads)
                      : differentiate_by_shift<double>(job, threads);
    case Method::finite_difference: return differentiate_by_differences(job);
    case Method::adjoint: break;
    }
    return single ? differentiate_adjoint<float>(job, threads)
                  : differentiate_adjoint<double>(job, threads);
}

} // namespace wavetrain
