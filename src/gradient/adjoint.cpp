/// The adjoint method by transition matrices.
#include "chain.hpp"
#include "methods.hpp"
#include "wavetrain/engine/simulator.hpp"

namespace wavetrain {
namespace {

/// The adjoint method on one job.
template <class Real> class Adjoint {
public:
    Adjoint(const GradientJob& job, int threads)
        : job_(job), gradient_(empty_gradient(job)),
          simulator_(job.bound, lanes_for(job.plan, job.cone), 2, threads) {
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
            for_families(true, [&](const Block& block, std::size_t) {
                for (std::size_t lane = 0; lane < count; ++lane)
                    add_block(block, simulator_.transition(block.family, lane), first + lane);
            });
        }
        for_families(false, [&](const Block& block, std::size_t index) {
            add_family(block, job_.bound.bound(index), simulator_.transition(block.family), 0);
        });
        return std::move(gradient_);
    }

private:
    /// Calls body(block, its index) for one block of each wanted family.
    template <class Body> void for_families(bool varying, Body&& body) {
        std::vector<bool> done(static_cast<std::size_t>(job_.cone.families), false);
        for (std::size_t i = 0; i < job_.cone.blocks.size(); ++i) {
            const Block& block = job_.cone.blocks[i];
            const auto family = static_cast<std::size_t>(block.family);
            if (!wanted_[i] || block.varying != varying || done[family]) continue;
            done[family] = true;
            body(block, i);
        }
    }

    void add_block(const Block& block, const Matrix& m, std::size_t sample) {
        add_family(block, bind_at(job_.plan, job_.cone, block, job_.symbols[sample]), m, sample);
    }

    void add_family(const Block& block, const BoundBlock& numbers, const Matrix& m,
                    std::size_t sample) {
        const auto derivatives = angle_derivatives(job_.plan, job_.cone, block, numbers, m);
        for (std::size_t g = 0; g < derivatives.size(); ++g)
            for (std::size_t a = 0; a < derivatives[g].size(); ++a)
                if (is_wanted(job_, block.operations[g], a))
                    add_angle(gradient_, job_, block.operations[g], a, sample, derivatives[g][a]);
    }

    const GradientJob& job_;
    ConeGradient gradient_;
    Simulator<Real> simulator_;
    std::vector<bool> wanted_; // per block
};

} // namespace

template <class Real> ConeGradient differentiate_adjoint(const GradientJob& job, int threads) {
    return Adjoint<Real>(job, threads).run();
}

template ConeGradient differentiate_adjoint<float>(const GradientJob& job, int threads);
template ConeGradient differentiate_adjoint<double>(const GradientJob& job, int threads);

} // namespace wavetrain
