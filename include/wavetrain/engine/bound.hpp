/// A cone with numbers for its symbols: block by block, the matrices that the kernels apply.
#pragma once

#include "wavetrain/compile/plan.hpp"

#include <span>
#include <vector>

namespace wavetrain {

/// The gates of one block at given symbol values.
struct BoundBlock {
    Matrix matrix;      ///< matrix: the product of the gates; enter: the qubit's state in column 0
    double theta = 0.0; ///< Block::Kind::pauli_rotation
    std::vector<std::vector<double>> angles; ///< of each operation of the block
    std::vector<Matrix> gates;               ///< of each operation, on its own targets
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
    const BoundBlock& bound(std::size_t index) const {
        return families_[static_cast<std::size_t>(cone_->blocks[index].family)];
    }
    std::size_t size() const { return cone_->blocks.size(); }

private:
    void bind(std::span<const double> symbols, bool shared);

    const Plan* plan_;
    const Cone* cone_;
    std::vector<BoundBlock> families_;
};

/// A block at symbol values. A `numeric` error as for BoundCone.
BoundBlock bind_at(const Plan& plan, const Cone& cone, const Block& block,
                   std::span<const double> symbols);
/// Binds blocks that vary again and again, for many executions: what does not depend on the values
/// is worked out once. Plan and cone must outlive it.
class VaryingBinder {
public:
    VaryingBinder(const Plan& plan, const Cone& cone);
    ~VaryingBinder();

    /// Numbers of a varying block (its angles and gates are not kept). Errors as for BoundCone.
    void bind(std::size_t block, std::span<const double> symbols, BoundBlock& numbers) const;

private:
    struct Places;
    const Plan* plan_;
    const Cone* cone_;
    std::vector<Places> places_; // per block
};

/// A block with the given angles for each of its operations.
BoundBlock bind_block(const Plan& plan, const Cone& cone, const Block& block,
                      std::vector<std::vector<double>> angles);

/// The derivatives of a real function in all angles of a block's gates, from the block's transition
/// matrix: per operation and angle 2 Re tr(dU M^T), 0 for constant angles. (A Pauli rotation has
/// the 1 x 1 matrix <bra|P|ket>.) Meaningless where U is no matrix of the block, so not for
/// entries.
std::vector<std::vector<double>> angle_derivatives(const Plan& plan, const Cone& cone,
                                                   const Block& block, const BoundBlock& bound,
                                                   const Matrix& transition);

} // namespace wavetrain
