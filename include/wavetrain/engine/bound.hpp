/// A cone with numbers for its symbols: block by block, the matrices that the kernels apply.
#pragma once

#include "wavetrain/compile/plan.hpp"

#include <span>
#include <vector>

namespace wavetrain {

/// The gates of one block at given symbol values.
struct BoundBlock {
    Matrix matrix;                           ///< Block::Kind::matrix: the product of the gates
    double theta = 0.0;                      ///< Block::Kind::pauli_rotation
    std::vector<std::vector<double>> angles; ///< of each operation of the block
    bool identity = false;                   ///< exactly 1: nothing to apply
};

/// One cone bound to symbol values. Holds references: plan and cone must outlive it.
class BoundCone {
public:
    /// Binds every block. `symbols` has a value for each symbol of the circuit. A `numeric` error
    /// names the gate (with its place) whose angle is not a finite number at these values.
    BoundCone(const Plan& plan, const Cone& cone, std::span<const double> symbols);
    /// Binds only the blocks that vary from sample to sample, to another sample's values.
    void rebind_varying(std::span<const double> symbols);

    const Plan& plan() const { return *plan_; }
    const Cone& cone() const { return *cone_; }
    const Block& block(std::size_t index) const { return cone_->blocks[index]; }
    const BoundBlock& bound(std::size_t index) const { return blocks_[index]; }
    std::size_t size() const { return blocks_.size(); }

private:
    const Plan* plan_;
    const Cone* cone_;
    std::vector<BoundBlock> blocks_;
};

/// A block with the given angles for each of its operations.
BoundBlock bind_block(const Plan& plan, const Cone& cone, const Block& block,
                      std::vector<std::vector<double>> angles);

/// A gate's matrix as it stands inside its block: on the block's targets, with those of its
/// controls that the block does not keep as controls.
Matrix matrix_in_block(const Plan& plan, const Cone& cone, const Block& block, int operation,
                       std::span<const double> angles);
/// The derivative of that matrix in angle `which` of the gate.
Matrix derivative_in_block(const Plan& plan, const Cone& cone, const Block& block, int operation,
                           std::span<const double> angles, int which);

} // namespace wavetrain
