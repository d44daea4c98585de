/// Binding: angles of gates, matrices of blocks.
#include "wavetrain/engine/bound.hpp"

#include "block_algebra.hpp"

#include <algorithm>
#include <cmath>

namespace wavetrain {
namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

const Operation& operation_of(const Plan& plan, int index) {
    return plan.circuit.operations[at(index)];
}

/// The values of an operation's angles.
void angle_values(const Plan& plan, int index, std::span<const double> symbols,
                  std::vector<double>& values) {
    const Operation& operation = operation_of(plan, index);
    values.clear();
    for (const Angle& angle : operation.angles) {
        values.push_back(angle.value(symbols));
        if (!std::isfinite(values.back()))
            fail_at(operation.place, Kind::numeric,
                    "angle '{}' of gate {} ('{}') is {} at the given values",
                    angle.text(plan.circuit.symbols), index + 1, operation_name(operation),
                    values.back());
    }
}

std::vector<std::vector<double>> block_angles(const Plan& plan, const Block& block,
                                              std::span<const double> symbols) {
    std::vector<std::vector<double>> angles(block.operations.size());
    for (std::size_t i = 0; i < angles.size(); ++i)
        angle_values(plan, block.operations[i], symbols, angles[i]);
    return angles;
}

} // namespace

BoundBlock bind_block(const Plan& plan, const Cone& cone, const Block& block,
                      std::vector<std::vector<double>> angles) {
    BoundBlock bound;
    bound.angles = std::move(angles);
    if (block.kind == Block::Kind::pauli_rotation) {
        bound.theta = bound.angles.front().front();
        bound.identity = bound.theta == 0.0;
        return bound;
    }
    const auto side = Eigen::Index{1} << block.targets.size();
    bound.matrix = Matrix::Identity(side, side);
    for (std::size_t i = 0; i < block.operations.size(); ++i) {
        const Operation& gate = operation_of(plan, block.operations[i]);
        // An entry keeps its CZs as signs.
        const bool sign = block.kind == Block::Kind::enter && !gate.controls.empty();
        bound.gates.push_back(sign ? Matrix() : target_matrix(plan.circuit, gate, bound.angles[i]));
        if (!sign) GatePlace(cone, block, gate).multiply_left(bound.matrix, bound.gates.back());
    }
    bound.identity = block.kind == Block::Kind::matrix && bound.matrix.isIdentity(0.0);
    return bound;
}

std::vector<std::vector<double>> angle_derivatives(const Plan& plan, const Cone& cone,
                                                   const Block& block, const BoundBlock& bound,
                                                   const Matrix& transition) {
    // 2 Re <bra| (-i/2) P |ket> = Im <bra| P |ket>.
    if (block.kind == Block::Kind::pauli_rotation) return {{transition(0, 0).imag()}};
    std::vector<GatePlace> places;
    for (int index : block.operations) places.emplace_back(cone, block, operation_of(plan, index));
    // With U = G_m ... G_1 the derivative in an angle of G_j is 2 Re tr(dG_j N_j), where
    // N_j = (G_{j-1} ... G_1) M^T (G_m ... G_{j+1}); N_1 = M^T U G_1† and
    // N_{j+1} = G_j N_j G_{j+1}†.
    Matrix n = transition.transpose().lazyProduct(bound.matrix);
    std::vector<std::vector<double>> derivatives;
    for (std::size_t j = 0; j < places.size(); ++j) {
        if (j > 0) places[j - 1].multiply_left(n, bound.gates[j - 1]);
        places[j].multiply_right_adjoint(n, bound.gates[j]);
        const Operation& gate = operation_of(plan, block.operations[j]);
        std::vector<double>& own = derivatives.emplace_back();
        for (std::size_t a = 0; a < gate.angles.size(); ++a) {
            if (gate.angles[a].is_constant()) {
                own.push_back(0.0);
                continue;
            }
            const Matrix d = target_derivative(gate, bound.angles[j], static_cast<int>(a));
            own.push_back(2.0 * places[j].trace(n, d).real());
        }
    }
    return derivatives;
}

BoundBlock bind_at(const Plan& plan, const Cone& cone, const Block& block,
                   std::span<const double> symbols) {
    return bind_block(plan, cone, block, block_angles(plan, block, symbols));
}

struct VaryingBinder::Places {
    std::vector<GatePlace> gates; // of each operation of a varying block
};

VaryingBinder::VaryingBinder(const Plan& plan, const Cone& cone)
    : plan_(&plan), cone_(&cone), places_(cone.blocks.size()) {
    for (std::size_t i = 0; i < cone.blocks.size(); ++i) {
        const Block& block = cone.blocks[i];
        if (!block.varying || block.kind != Block::Kind::matrix) continue;
        for (int index : block.operations)
            places_[i].gates.emplace_back(cone, block, operation_of(plan, index));
    }
}

VaryingBinder::~VaryingBinder() = default;

void VaryingBinder::bind(std::size_t index, std::span<const double> symbols,
                         BoundBlock& numbers) const {
    const Block& block = cone_->blocks[index];
    std::vector<double> angles;
    if (block.kind == Block::Kind::pauli_rotation) {
        angle_values(*plan_, block.operations.front(), symbols, angles);
        numbers.theta = angles.front();
        numbers.identity = numbers.theta == 0.0;
        return;
    }
    const auto side = Eigen::Index{1} << block.targets.size();
    numbers.matrix.setIdentity(side, side);
    for (std::size_t g = 0; g < block.operations.size(); ++g) {
        angle_values(*plan_, block.operations[g], symbols, angles);
        const Operation& gate = operation_of(*plan_, block.operations[g]);
        places_[index].gates[g].multiply_left(numbers.matrix,
                                              target_matrix(plan_->circuit, gate, angles));
    }
    numbers.identity = numbers.matrix.isIdentity(0.0);
}

BoundCone::BoundCone(const Plan& plan, const Cone& cone, std::span<const double> symbols)
    : plan_(&plan), cone_(&cone), families_(at(cone.families)) {
    bind(symbols, true);
}

void BoundCone::rebind_varying(std::span<const double> symbols) { bind(symbols, false); }

/// One block of each family; the shared ones only if asked for.
void BoundCone::bind(std::span<const double> symbols, bool shared) {
    std::vector<bool> bound(families_.size(), false);
    for (const Block& block : cone_->blocks) {
        if (!(block.varying || shared) || bound[at(block.family)]) continue;
        bound[at(block.family)] = true;
        families_[at(block.family)] = bind_at(*plan_, *cone_, block, symbols);
    }
}

} // namespace wavetrain
