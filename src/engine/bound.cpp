/// Binding: angles of gates, matrices of runs and blocks.
#include "wavetrain/engine/bound.hpp"

#include "varying_block.hpp"

#include <cmath>

namespace wavetrain {
namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

const Operation& operation_of(const Plan& plan, int index) {
    return plan.circuit.operations[at(index)];
}

Eigen::Index side_of(const Block& block) { return Eigen::Index{1} << block.targets.size(); }

void set_rotation(double theta, BoundBlock& bound) {
    bound.theta = theta;
    bound.identity = theta == 0.0;
}

void set_identity(const Block& block, BoundBlock& bound) {
    bound.identity = block.kind == Block::Kind::matrix && bound.matrix.isIdentity(0.0);
}

} // namespace

void bind_run(const Plan& plan, const GateRun& run, std::span<const double> symbols,
              BoundRun& bound) {
    const std::size_t count = run.operations.size();
    bound.angles.resize(count);
    bound.gates.resize(count);
    for (std::size_t g = 0; g < count; ++g) {
        angle_values(plan.circuit, at(run.operations[g]), symbols, bound.angles[g]);
        bound.gates[g] =
            target_matrix(plan.circuit, operation_of(plan, run.operations[g]), bound.angles[g]);
    }
    bound.matrix = bound.gates.front();
    const GatePlace all(bound.matrix.rows());
    for (std::size_t g = 1; g < count; ++g) all.multiply_left(bound.matrix, bound.gates[g]);
}

std::vector<std::vector<double>> block_angles(const Plan& plan, const Block& block,
                                              std::span<const double> symbols) {
    std::vector<std::vector<double>> angles(block.operations.size());
    for (std::size_t i = 0; i < angles.size(); ++i)
        angle_values(plan.circuit, at(block.operations[i]), symbols, angles[i]);
    return angles;
}

BoundBlock bind_block(const Plan& plan, const Cone& cone, const Block& block,
                      const std::vector<std::vector<double>>& angles) {
    BoundBlock bound;
    if (block.kind == Block::Kind::pauli_rotation) {
        set_rotation(angles.front().front(), bound);
        return bound;
    }
    bound.matrix.setIdentity(side_of(block), side_of(block));
    for (std::size_t i = 0; i < block.operations.size(); ++i) {
        const Operation& gate = operation_of(plan, block.operations[i]);
        // An entry keeps its CZs as signs.
        if (block.kind == Block::Kind::enter && !gate.controls.empty()) continue;
        GatePlace(cone, block, gate)
            .multiply_left(bound.matrix, target_matrix(plan.circuit, gate, angles[i]));
    }
    set_identity(block, bound);
    return bound;
}

VaryingBlock::VaryingBlock(const BoundCone& bound, const Block& block)
    : bound_(&bound), block_(&block) {
    const Cone& cone = bound.cone();
    const Eigen::Index side = side_of(block);
    for (std::size_t r = 0; r < block.runs.size(); ++r) {
        const RunPlace& own = block.runs[r];
        const bool varying = cone.runs[at(own.run)].varying;
        const GatePlace place(cone, block, operation_of(bound.plan(), own.operation));
        const bool joins = !factors_.empty() && !varying && !factors_.back().varying;
        if (!joins) {
            factors_.push_back({place, r, r + 1, varying, bound.run(own.run).matrix, {}});
            continue;
        }
        Factor& before = factors_.back();
        if (before.last - before.first == 1) {
            Matrix whole = Matrix::Identity(side, side);
            before.place.multiply_left(whole, before.matrix);
            before.matrix = whole;
            before.place = GatePlace(side);
        }
        place.multiply_left(before.matrix, bound.run(own.run).matrix);
        before.last = r + 1;
    }
}

VaryingBlock::~VaryingBlock() = default;
VaryingBlock::VaryingBlock(VaryingBlock&&) noexcept = default;

const BoundBlock& VaryingBlock::bind(std::span<const double> symbols) {
    const Plan& plan = bound_->plan();
    if (block_->kind == Block::Kind::pauli_rotation) {
        std::vector<double> angles;
        angle_values(plan.circuit, at(block_->operations.front()), symbols, angles);
        set_rotation(angles.front(), numbers_);
        return numbers_;
    }
    numbers_.matrix.setIdentity(side_of(*block_), side_of(*block_));
    for (Factor& factor : factors_) {
        if (factor.varying) {
            const int run = block_->runs[factor.first].run;
            bind_run(plan, bound_->cone().runs[at(run)], symbols, factor.numbers);
            factor.matrix = factor.numbers.matrix;
        }
        factor.place.multiply_left(numbers_.matrix, factor.matrix);
    }
    set_identity(*block_, numbers_);
    return numbers_;
}

BoundCone::BoundCone(const Plan& plan, const Cone& cone, std::span<const double> symbols)
    : plan_(&plan), cone_(&cone), runs_(cone.runs.size()), families_(at(cone.families)) {
    bind(symbols, true);
}

void BoundCone::rebind_varying(std::span<const double> symbols) { bind(symbols, false); }

/// The runs, then one block of each family; the shared ones only if asked for.
void BoundCone::bind(std::span<const double> symbols, bool shared) {
    for (std::size_t r = 0; r < runs_.size(); ++r)
        if (cone_->runs[r].varying || shared) bind_run(*plan_, cone_->runs[r], symbols, runs_[r]);
    std::vector<bool> done(families_.size(), false);
    for (const Block& block : cone_->blocks) {
        if (!(block.varying || shared) || done[at(block.family)]) continue;
        done[at(block.family)] = true;
        BoundBlock& bound = families_[at(block.family)];
        if (block.kind == Block::Kind::pauli_rotation) {
            std::vector<double> angles;
            angle_values(plan_->circuit, at(block.operations.front()), symbols, angles);
            set_rotation(angles.front(), bound);
            continue;
        }
        bound.matrix.setIdentity(side_of(block), side_of(block));
        for (const RunPlace& own : block.runs)
            GatePlace(*cone_, block, operation_of(*plan_, own.operation))
                .multiply_left(bound.matrix, run(own.run).matrix);
        set_identity(block, bound);
    }
}

} // namespace wavetrain
