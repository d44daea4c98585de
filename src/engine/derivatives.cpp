/// Derivatives from transition matrices: block by block, then run by run, then gate by gate.
#include "wavetrain/engine/derivatives.hpp"

#include "varying_block.hpp"

#include <algorithm>
#include <optional>

namespace wavetrain {
namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

void add_to(Matrix& total, const Matrix& part) {
    if (total.size() == 0)
        total = part;
    else
        total += part;
}

/// 2 Re <bra| (-i/2) P |ket> = Im <bra| P |ket>.
double rotation_derivative(const Matrix& transition) { return transition(0, 0).imag(); }

} // namespace

struct AngleDerivatives::Family {
    const Block* block = nullptr; ///< a block that was added
    double rotation = 0.0;        ///< of a Pauli rotation that does not vary
    std::optional<VaryingBlock> varying;
    std::vector<Matrix> factors; ///< of a block that varies: a sum for each factor that does not
};

AngleDerivatives::AngleDerivatives(const BoundCone& bound,
                                   const std::function<bool(int operation)>& wanted)
    : bound_(&bound), families_(at(bound.cone().families)), runs_(bound.cone().runs.size()) {
    for (const GateRun& run : bound.cone().runs)
        wanted_.push_back(std::any_of(run.operations.begin(), run.operations.end(), wanted));
}

AngleDerivatives::~AngleDerivatives() = default;

void AngleDerivatives::add(const Block& block, const Matrix& transition) {
    if (block.kind == Block::Kind::pauli_rotation) {
        Family& family = families_[at(block.family)];
        family.block = &block;
        family.rotation += rotation_derivative(transition);
    } else {
        add_runs(block, 0, block.runs.size(), transition.transpose());
    }
}

void AngleDerivatives::add_runs(const Block& block, std::size_t first, std::size_t last,
                                Matrix transposed) {
    std::vector<GatePlace> places;
    places.reserve(last - first);
    for (std::size_t r = first; r < last; ++r)
        places.emplace_back(bound_->cone(), block,
                            bound_->plan().circuit.operations[at(block.runs[r].operation)]);
    const auto run_of = [&](std::size_t j) { return block.runs[first + j].run; };
    for_factors(
        places.size(), std::move(transposed),
        [&](std::size_t j) -> const GatePlace& { return places[j]; },
        [&](std::size_t j) -> const Matrix& { return bound_->run(run_of(j)).matrix; },
        [&](std::size_t j, const Matrix& own) {
            if (wanted_[at(run_of(j))]) add_to(runs_[at(run_of(j))], places[j].reduced(own));
        });
}

void AngleDerivatives::add(const Block& block, std::span<const double> symbols,
                           const Matrix& transition, const Sink& sink) {
    if (block.kind == Block::Kind::pauli_rotation) {
        sink(block.operations.front(), 0, rotation_derivative(transition));
        return;
    }
    Family& family = families_[at(block.family)];
    if (!family.varying) {
        family.block = &block;
        family.varying.emplace(*bound_, block);
        family.factors.resize(family.varying->factors_.size());
    }
    family.varying->bind(symbols);
    const std::vector<VaryingBlock::Factor>& factors = family.varying->factors_;
    for_factors(
        factors.size(), transition.transpose(),
        [&](std::size_t j) -> const GatePlace& { return factors[j].place; },
        [&](std::size_t j) -> const Matrix& { return factors[j].matrix; },
        [&](std::size_t j, const Matrix& own) {
            const int run = block.runs[factors[j].first].run;
            if (!factors[j].varying)
                add_to(family.factors[j], factors[j].place.reduced(own));
            else if (wanted_[at(run)])
                tell(run, factors[j].numbers, factors[j].place.reduced(own), sink);
        });
}

void AngleDerivatives::finish(const Sink& sink) {
    for (Family& family : families_) {
        if (!family.block) continue;
        if (family.block->kind == Block::Kind::pauli_rotation)
            sink(family.block->operations.front(), 0, family.rotation);
        for (std::size_t j = 0; j < family.factors.size(); ++j) {
            const VaryingBlock::Factor& factor = family.varying->factors_[j];
            if (factor.varying || family.factors[j].size() == 0) continue;
            if (factor.last - factor.first == 1)
                add_to(runs_[at(family.block->runs[factor.first].run)], family.factors[j]);
            else
                add_runs(*family.block, factor.first, factor.last, family.factors[j]);
            family.factors[j].resize(0, 0);
        }
        family.rotation = 0.0;
        family.block = nullptr;
    }
    for (std::size_t r = 0; r < runs_.size(); ++r) {
        if (runs_[r].size() == 0 || !wanted_[r]) continue;
        const int run = static_cast<int>(r);
        tell(run, bound_->run(run), runs_[r], sink);
        runs_[r].resize(0, 0);
    }
}

/// The angles of a run's gates, from the matrix that stands for M^T on the run's own targets.
void AngleDerivatives::tell(int run, const BoundRun& numbers, const Matrix& transposed,
                            const Sink& sink) const {
    const GatePlace all(transposed.rows());
    for_factors(
        numbers.gates.size(), transposed, [&](std::size_t) -> const GatePlace& { return all; },
        [&](std::size_t j) -> const Matrix& { return numbers.gates[j]; },
        [&](std::size_t j, const Matrix& own) {
            const int index = bound_->cone().runs[at(run)].operations[j];
            const Operation& gate = bound_->plan().circuit.operations[at(index)];
            for (std::size_t a = 0; a < gate.angles.size(); ++a) {
                if (gate.angles[a].is_constant()) continue;
                const Matrix d = target_derivative(gate, numbers.angles[j], static_cast<int>(a));
                sink(index, a, 2.0 * trace_of_product(d, own).real());
            }
        });
}

} // namespace wavetrain
