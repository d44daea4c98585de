/// From the transition matrices of blocks to the derivatives in the angles of their gates.
#pragma once

#include "wavetrain/engine/bound.hpp"

#include <functional>
#include <vector>

namespace wavetrain {

/// Adds up transition matrices M of the blocks of one bound cone: with U the block's matrix the
/// derivative in an angle is 2 Re tr(dU M^T). What is alike is worked out once: matrices of a
/// family may be added up before they are given, those of runs are here. The bound cone must
/// outlive it.
class AngleDerivatives {
public:
    /// Told of an operation's angle and the derivative in it. Of operations that are alike one
    /// stands for all.
    using Sink = std::function<void(int operation, std::size_t angle, double derivative)>;

    /// `wanted`: operations whose angles are asked for.
    AngleDerivatives(const BoundCone& bound, const std::function<bool(int operation)>& wanted);
    ~AngleDerivatives();

    /// A block that does not vary. (A Pauli rotation has the 1 x 1 matrix <bra|P|ket>.)
    void add(const Block& block, const Matrix& transition);
    /// A block that varies, at one execution's values: `sink` is told of the gates that vary.
    void add(const Block& block, std::span<const double> symbols, const Matrix& transition,
             const Sink& sink);
    /// Tells `sink` of all gates that do not vary, and forgets what was added.
    void finish(const Sink& sink);

private:
    struct Family;

    void add_runs(const Block& block, std::size_t first, std::size_t last, Matrix transposed);
    void tell(int run, const BoundRun& numbers, const Matrix& transposed, const Sink& sink) const;

    const BoundCone* bound_;
    std::vector<bool> wanted_; // per run of the cone
    std::vector<Family> families_;
    std::vector<Matrix> runs_; // per run of the cone: its part of M^T, summed
};

} // namespace wavetrain
