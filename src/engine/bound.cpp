/// Binding: angles of gates, matrices of blocks.
#include "wavetrain/engine/bound.hpp"

#include <algorithm>
#include <cmath>

namespace wavetrain {
namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

const Operation& operation_of(const Plan& plan, int index) {
    return plan.circuit.operations[at(index)];
}

/// The bit of the block's matrix index that holds a qubit; -1 if the block keeps it as a control.
int matrix_bit(const Cone& cone, const Block& block, Qubit qubit) {
    const int count = static_cast<int>(block.targets.size());
    for (int i = 0; i < count; ++i)
        if (cone.layout[at(block.targets[at(i)].index)] == qubit) return count - 1 - i;
    return -1;
}

/// `small` acts on some bits of the block's index, where the controls among its bits hold; the rest
/// of the diagonal is `rest` (1 for a gate, 0 for a derivative).
Matrix embed(const Cone& cone, const Block& block, const Operation& operation, const Matrix& small,
             double rest) {
    std::vector<int> target_bits;
    for (Qubit q : operation.targets) target_bits.push_back(matrix_bit(cone, block, q));
    std::uint64_t mask = 0;
    std::uint64_t value = 0;
    for (const Control& control : operation.controls) {
        const int bit = matrix_bit(cone, block, control.qubit);
        if (bit < 0) continue;
        mask |= std::uint64_t{1} << bit;
        if (control.value) value |= std::uint64_t{1} << bit;
    }
    const auto side = Eigen::Index{1} << block.targets.size();
    const auto count = static_cast<int>(target_bits.size());
    Matrix result = Matrix::Zero(side, side);
    for (Eigen::Index column = 0; column < side; ++column) {
        if ((static_cast<std::uint64_t>(column) & mask) != value) {
            result(column, column) = rest;
            continue;
        }
        Eigen::Index inner = 0;
        Eigen::Index cleared = column;
        for (int i = 0; i < count; ++i) {
            inner = 2 * inner + ((column >> target_bits[at(i)]) & 1);
            cleared &= ~(Eigen::Index{1} << target_bits[at(i)]);
        }
        for (Eigen::Index r = 0; r < small.rows(); ++r) {
            Eigen::Index row = cleared;
            for (int i = 0; i < count; ++i)
                row |= ((r >> (count - 1 - i)) & 1) << target_bits[at(i)];
            result(row, column) = small(r, inner);
        }
    }
    return result;
}

std::vector<std::vector<double>> block_angles(const Plan& plan, const Block& block,
                                              std::span<const double> symbols) {
    std::vector<std::vector<double>> angles;
    for (int index : block.operations) {
        const Operation& operation = operation_of(plan, index);
        std::vector<double> values;
        for (const Angle& angle : operation.angles) {
            values.push_back(angle.value(symbols));
            if (!std::isfinite(values.back()))
                fail_at(operation.place, Kind::numeric,
                        "angle '{}' of gate {} ('{}') is {} at the given values",
                        angle.text(plan.circuit.symbols), index + 1, operation_name(operation),
                        values.back());
        }
        angles.push_back(std::move(values));
    }
    return angles;
}

} // namespace

Matrix matrix_in_block(const Plan& plan, const Cone& cone, const Block& block, int operation,
                       std::span<const double> angles) {
    const Operation& gate = operation_of(plan, operation);
    return embed(cone, block, gate, target_matrix(plan.circuit, gate, angles), 1.0);
}

Matrix derivative_in_block(const Plan& plan, const Cone& cone, const Block& block, int operation,
                           std::span<const double> angles, int which) {
    const Operation& gate = operation_of(plan, operation);
    return embed(cone, block, gate, target_derivative(gate, angles, which), 0.0);
}

BoundBlock bind_block(const Plan& plan, const Cone& cone, const Block& block,
                      std::vector<std::vector<double>> angles) {
    BoundBlock bound;
    bound.angles = std::move(angles);
    if (block.kind == Block::Kind::pauli_rotation) {
        bound.theta = bound.angles.front().front();
        bound.identity = bound.theta == 0.0;
        return bound;
    }
    bound.matrix =
        matrix_in_block(plan, cone, block, block.operations.front(), bound.angles.front());
    for (std::size_t i = 1; i < block.operations.size(); ++i)
        bound.matrix = matrix_in_block(plan, cone, block, block.operations[i], bound.angles[i])
                           .lazyProduct(bound.matrix)
                           .eval();
    bound.identity = bound.matrix == Matrix::Identity(bound.matrix.rows(), bound.matrix.cols());
    return bound;
}

BoundCone::BoundCone(const Plan& plan, const Cone& cone, std::span<const double> symbols)
    : plan_(&plan), cone_(&cone) {
    blocks_.reserve(cone.blocks.size());
    for (const Block& block : cone.blocks)
        blocks_.push_back(bind_block(plan, cone, block, block_angles(plan, block, symbols)));
}

void BoundCone::rebind_varying(std::span<const double> symbols) {
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
        const Block& block = cone_->blocks[i];
        if (block.varying)
            blocks_[i] = bind_block(*plan_, *cone_, block, block_angles(*plan_, block, symbols));
    }
}

} // namespace wavetrain
