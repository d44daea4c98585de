/// Parameter shift: every occurrence of an angle shifted on its own, then the chain rule.
#include "chain.hpp"
#include "methods.hpp"
#include "wavetrain/engine/simulator.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace wavetrain {
namespace {

/// An angle of a block and one of its shifts.
struct Shifted {
    std::size_t gate; ///< of the block
    std::size_t angle;
    ShiftTerm term;
};

std::vector<Shifted> shifts_of(const GradientJob& job, const Block& block) {
    std::vector<Shifted> result;
    if (block.kind == Block::Kind::enter) return result;
    for (std::size_t g = 0; g < block.operations.size(); ++g) {
        const int index = block.operations[g];
        const Operation& operation = job.plan.circuit.operations[static_cast<std::size_t>(index)];
        for (std::size_t a = 0; a < operation.angles.size(); ++a) {
            if (!is_wanted(job, index, a)) continue;
            for (const ShiftTerm& term : shift_rule(frequencies(operation, static_cast<int>(a))))
                result.push_back({g, a, term});
        }
    }
    return result;
}

/// The angles of a block's gates.
using BlockAngles = std::vector<std::vector<double>>;

BoundBlock shifted_block(const GradientJob& job, const Block& block, BlockAngles angles,
                         const Shifted& shifted) {
    angles[shifted.gate][shifted.angle] += shifted.term.shift;
    return bind_block(job.plan, job.cone, block, angles);
}

/// The parameter-shift rule on one job.
template <class Real> class Shift {
public:
    Shift(const GradientJob& job, int threads)
        : job_(job), gradient_(empty_gradient(job)), lanes_(lanes_for(job.plan, job.cone)),
          before_(job.bound, lanes_, 1, threads, Steps::single_blocks),
          shifted_(job.bound, lanes_, 1, threads, Steps::single_blocks) {}

    ConeGradient run() {
        const std::size_t width = before_.width();
        for (std::size_t first = 0; first < job_.symbols.size(); first += width)
            run_executions(first, std::min(width, job_.symbols.size() - first));
        return std::move(gradient_);
    }

private:
    void run_executions(std::size_t first, std::size_t count) {
        const auto executions = std::span(job_.symbols).subspan(first, count);
        before_.bind(executions);
        shifted_.bind(executions);
        before_.start();
        const std::size_t size = job_.cone.blocks.size();
        const std::size_t last = std::min(job_.shifted.last, size);
        before_.apply_blocks(0, std::min(job_.shifted.first, last));
        for (std::size_t i = job_.shifted.first; i < last; ++i) {
            const Block& block = job_.cone.blocks[i];
            std::vector<BlockAngles> angles;
            const std::vector<Shifted> shifts = shifts_of(job_, block);
            if (!shifts.empty()) angles = angles_of(block, executions);
            for (const Shifted& shifted : shifts) add_shift(i, angles, shifted, first, count);
            if (i + 1 < last) before_.apply_blocks(i, i + 1);
        }
    }

    /// Those that all executions share, or those of each.
    std::vector<BlockAngles> angles_of(const Block& block,
                                       std::span<const std::vector<double>> executions) const {
        std::vector<BlockAngles> angles;
        for (const std::vector<double>& symbols :
             executions.first(block.varying ? executions.size() : 1))
            angles.push_back(block_angles(job_.plan, block, symbols));
        return angles;
    }

    void add_shift(std::size_t index, const std::vector<BlockAngles>& angles,
                   const Shifted& shifted, std::size_t first, std::size_t count) {
        const Block& block = job_.cone.blocks[index];
        std::vector<BoundBlock> replaced;
        for (const BlockAngles& own : angles)
            replaced.push_back(shifted_block(job_, block, own, shifted));
        shifted_.copy_state_from(before_, index);
        shifted_.replace(index, replaced);
        shifted_.apply_blocks(index, job_.cone.blocks.size());
        shifted_.restore();
        const std::vector<double> values = shifted_.expectations();
        const std::size_t columns = job_.cone.terms.size();
        for (std::size_t row = 0; row < count; ++row)
            add_angle(gradient_, job_, block.operations[shifted.gate], shifted.angle, first + row,
                      shifted.term.coefficient *
                          weighted(job_.upstream[first + row],
                                   std::span(values).subspan(row * columns, columns)));
    }

    const GradientJob& job_;
    ConeGradient gradient_;
    Lanes lanes_;
    Simulator<Real> before_; // stands before the block at hand
    Simulator<Real> shifted_;
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

template <class Real> ConeGradient differentiate_by_shift(const GradientJob& job, int threads) {
    return Shift<Real>(job, threads).run();
}

template ConeGradient differentiate_by_shift<float>(const GradientJob& job, int threads);
template ConeGradient differentiate_by_shift<double>(const GradientJob& job, int threads);

} // namespace wavetrain
