/// A cone with numbers for its symbols: block by block, the matrices that the kernels apply.
#pragma once

#include "wavetrain/compile/plan.hpp"

#include <span>
#include <vector>

namespace wavetrain {

/// A block at given symbol values.
struct BoundBlock {
    Matrix matrix;      ///< matrix: the product of the gates; enter: the qubit's state in column 0
    double theta = 0.0; ///< Block::Kind::pauli_rotation
    bool identity = false; ///< exactly 1: nothing to apply
};

/// A run at given symbol values.
struct BoundRun {
    std::vector<std::vector<double>> angles; ///< of each gate
    std::vector<Matrix> gates;               ///< on the run's targets
    Matrix matrix;                           ///< their product
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
    const BoundRun& run(int index) const { return runs_[static_cast<std::size_t>(index)]; }
    std::size_t size() const { return cone_->blocks.size(); }

private:
    void bind(std::span<const double> symbols, bool shared);

    const Plan* plan_;
    const Cone* cone_;
    std::vector<BoundRun> runs_;
    std::vector<BoundBlock> families_;
};

/// A block that varies, again and again at the values of another execution: its gates are joined
/// into factors, of which only those that vary are worked out each time. The bound cone must
/// outlive it.
class VaryingBlock {
public:
    VaryingBlock(const BoundCone& bound, const Block& block);
    ~VaryingBlock();
    VaryingBlock(VaryingBlock&&) noexcept;

    /// The block's numbers. Errors as for BoundCone.
    const BoundBlock& bind(std::span<const double> symbols);

private:
    friend class AngleDerivatives;
    struct Factor;

    const BoundCone* bound_;
    const Block* block_;
    std::vector<Factor> factors_;
    BoundBlock numbers_;
};

/// The values of all angles of a block's gates. A `numeric` error as for BoundCone.
std::vector<std::vector<double>> block_angles(const Plan& plan, const Block& block,
                                              std::span<const double> symbols);

/// A block with the given angles for each of its operations.
BoundBlock bind_block(const Plan& plan, const Cone& cone, const Block& block,
                      const std::vector<std::vector<double>>& angles);

} // namespace wavetrain
