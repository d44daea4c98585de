/// The adjoint method by transition matrices.
#include "chain.hpp"
#include "methods.hpp"
#include "wavetrain/engine/derivatives.hpp"
#include "wavetrain/engine/simulator.hpp"

namespace wavetrain {
namespace {

/// The adjoint method on one job.
template <class Real> class Adjoint {
public:
    Adjoint(const GradientJob& job, int threads)
        : job_(job), gradient_(empty_gradient(job)),
          simulator_(job.bound, lanes_for(job.plan, job.cone), 2, threads),
          derivatives_(job.bound, [&job](int operation) { return is_wanted(job, operation); }) {
        for (const Block& block : job.cone.blocks)
            wanted_.push_back(block.kind != Block::Kind::enter && is_wanted(job, block));
    }

    ConeGradient run() {
        const std::size_t width = simulator_.width();
        for (std::size_t first = 0; first < job_.symbols.size(); first += width) {
            const std::size_t count = std::min(width, job_.symbols.size() - first);
            simulator_.bind(std::span(job_.symbols).subspan(first, count));
            simulator_.forward();
            simulator_.start_back(std::span(job_.upstream).subspan(first, count));
            simulator_.back(wanted_);
            for_families(true, [&](const Block& block) {
                for (std::size_t lane = 0; lane < count; ++lane)
                    derivatives_.add(block, job_.symbols[first + lane],
                                     simulator_.transition(block.family, lane), sink(first + lane));
            });
        }
        for_families(false, [&](const Block& block) {
            derivatives_.add(block, simulator_.transition(block.family));
        });
        derivatives_.finish(sink(0));
        return std::move(gradient_);
    }

private:
    /// Calls body(block) for one block of each wanted family.
    template <class Body> void for_families(bool varying, Body&& body) {
        std::vector<bool> done(static_cast<std::size_t>(job_.cone.families), false);
        for (std::size_t i = 0; i < job_.cone.blocks.size(); ++i) {
            const Block& block = job_.cone.blocks[i];
            const auto family = static_cast<std::size_t>(block.family);
            if (!wanted_[i] || block.varying != varying || done[family]) continue;
            done[family] = true;
            body(block);
        }
    }

    /// Adds the derivatives of one sample (of any, for what they share) to the gradient.
    AngleDerivatives::Sink sink(std::size_t sample) {
        return [this, sample](int operation, std::size_t angle, double derivative) {
            if (is_wanted(job_, operation, angle))
                add_angle(gradient_, job_, operation, angle, sample, derivative);
        };
    }

    const GradientJob& job_;
    ConeGradient gradient_;
    Simulator<Real> simulator_;
    AngleDerivatives derivatives_;
    std::vector<bool> wanted_; // per block
};

} // namespace

template <class Real> ConeGradient differentiate_adjoint(const GradientJob& job, int threads) {
    return Adjoint<Real>(job, threads).run();
}

template ConeGradient differentiate_adjoint<float>(const GradientJob& job, int threads);
template ConeGradient differentiate_adjoint<double>(const GradientJob& job, int threads);

} // namespace wavetrain
