/// The chain rule.
#include "chain.hpp"

#include <algorithm>

namespace wavetrain {
namespace {

const Operation& operation_of(const GradientJob& job, int index) {
    return job.plan.circuit.operations[static_cast<std::size_t>(index)];
}

} // namespace

ConeGradient empty_gradient(const GradientJob& job) {
    const std::size_t symbols = job.plan.circuit.symbols.size();
    ConeGradient gradient{std::vector<double>(symbols, 0.0), {}};
    const bool any_varying =
        std::find(job.plan.varying.begin(), job.plan.varying.end(), true) != job.plan.varying.end();
    gradient.varying.assign(job.symbols.size(),
                            std::vector<double>(any_varying ? symbols : 0, 0.0));
    return gradient;
}

bool is_wanted(const GradientJob& job, int operation, std::size_t angle) {
    for (int s : operation_of(job, operation).angles[angle].symbols())
        if (job.wanted[static_cast<std::size_t>(s)]) return true;
    return false;
}

bool is_wanted(const GradientJob& job, int operation) {
    for (std::size_t a = 0; a < operation_of(job, operation).angles.size(); ++a)
        if (is_wanted(job, operation, a)) return true;
    return false;
}

bool is_wanted(const GradientJob& job, const Block& block) {
    return std::any_of(block.operations.begin(), block.operations.end(),
                       [&](int operation) { return is_wanted(job, operation); });
}

void add_angle(ConeGradient& gradient, const GradientJob& job, int operation, std::size_t angle,
               std::size_t sample, double derivative) {
    const Angle& expression = operation_of(job, operation).angles[angle];
    for (const Angle::Partial& partial : expression.gradient(job.symbols[sample])) {
        const auto s = static_cast<std::size_t>(partial.symbol);
        if (!job.wanted[s]) continue;
        const double value = derivative * partial.derivative;
        if (job.plan.varying[s])
            gradient.varying[sample][s] += value;
        else
            gradient.shared[s] += value;
    }
}

} // namespace wavetrain
