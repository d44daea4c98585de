/// Parameter shift: every occurrence of an angle shifted on its own, then the chain rule.
#include "chain.hpp"
#include "methods.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace wavetrain {
namespace {

/// A block with one angle shifted.
struct ShiftedBlock {
    int operation;
    std::size_t angle;
    double coefficient;
    BoundBlock bound;
};

std::vector<ShiftedBlock> shifted_blocks(const GradientJob& job, const Block& block,
                                         const BoundBlock& bound) {
    std::vector<ShiftedBlock> result;
    for (std::size_t g = 0; g < block.operations.size(); ++g) {
        const int index = block.operations[g];
        const Operation& operation = job.plan.circuit.operations[static_cast<std::size_t>(index)];
        for (std::size_t a = 0; a < operation.angles.size(); ++a) {
            if (!is_wanted(job, index, a)) continue;
            const std::vector<double> spectrum = frequencies(operation, static_cast<int>(a));
            for (const ShiftTerm& term : shift_rule(spectrum)) {
                auto angles = bound.angles;
                angles[g][a] += term.shift;
                result.push_back({index, a, term.coefficient,
                                  bind_block(job.plan, job.cone, block, std::move(angles))});
            }
        }
    }
    return result;
}

/// The parameter-shift rule on one job.
template <class Real> class Shift {
public:
    explicit Shift(const GradientJob& job)
        : job_(job), gradient_(empty_gradient(job)),
          before_(static_cast<int>(job.cone.layout.size())),
          shifted_(static_cast<int>(job.cone.layout.size())) {}

    ConeGradient run() {
        BoundCone bound = job_.bound;
        const std::size_t begin = job_.shifted.first;
        const std::size_t end = std::min(job_.shifted.last, bound.size());
        std::vector<std::vector<ShiftedBlock>> blocks(bound.size());
        for (std::size_t i = begin; i < end; ++i)
            if (!bound.block(i).varying)
                blocks[i] = shifted_blocks(job_, bound.block(i), bound.bound(i));
        for (std::size_t sample = 0; sample < job_.symbols.size(); ++sample) {
            bound.rebind_varying(job_.symbols[sample]);
            for (std::size_t i = begin; i < end; ++i)
                if (bound.block(i).varying)
                    blocks[i] = shifted_blocks(job_, bound.block(i), bound.bound(i));
            before_.reset();
            for (std::size_t i = 0; i < end; ++i) {
                for (const ShiftedBlock& shifted : blocks[i]) add_shift(bound, i, shifted, sample);
                apply(before_, bound.block(i), bound.bound(i));
            }
        }
        return std::move(gradient_);
    }

private:
    void add_shift(const BoundCone& bound, std::size_t index, const ShiftedBlock& shifted,
                   std::size_t sample) {
        shifted_.copy_from(before_);
        apply(shifted_, bound.block(index), shifted.bound);
        for (std::size_t i = index + 1; i < bound.size(); ++i)
            apply(shifted_, bound.block(i), bound.bound(i));
        const double value = weighted(job_.upstream[sample], expectations(job_.cone, shifted_));
        add_angle(gradient_, job_, shifted.operation, shifted.angle, sample,
                  shifted.coefficient * value);
    }

    const GradientJob& job_;
    ConeGradient gradient_;
    State<Real> before_; // the state before the block at hand
    State<Real> shifted_;
};

} // namespace

std::vector<ShiftTerm> shift_rule(std::span<const double> frequencies) {
    if (frequencies.empty()) return {};
    // Multiples of the lowest frequency, some of them perhaps absent: the equidistant rule of
    // Wierichs et al. (2022).
    const double lowest = frequencies.front();
    const int count = static_cast<int>(std::lround(frequencies.back() / lowest));
    for (double f : frequencies)
        promise(std::abs(f / lowest - std::round(f / lowest)) < 1e-9,
                "a shift rule for frequencies that are no multiples of the lowest");
    std::vector<ShiftTerm> terms;
    for (int mu = 1; mu <= 2 * count; ++mu) {
        const double x = (2 * mu - 1) * std::numbers::pi / (2 * count);
        const double sine = std::sin(x / 2);
        const double sign = mu % 2 == 1 ? 1.0 : -1.0;
        // Shifts beyond half a period are taken from the other side.
        const double shift = mu <= count ? x : x - 2 * std::numbers::pi;
        terms.push_back({lowest * sign / (4 * count * sine * sine), shift / lowest});
    }
    return terms;
}

template <class Real> ConeGradient differentiate_by_shift(const GradientJob& job) {
    return Shift<Real>(job).run();
}

template ConeGradient differentiate_by_shift<float>(const GradientJob& job);
template ConeGradient differentiate_by_shift<double>(const GradientJob& job);

} // namespace wavetrain
