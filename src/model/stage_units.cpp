/// Units of stages.
#include "wavetrain/model/stage_units.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace wavetrain {
namespace {

/// Raises each rank's bytes to those that these units take.
void raise(std::vector<double>& bytes, const Model& model, std::span<const Unit> units, int threads,
           bool gradient) {
    std::vector<double> costs;
    for (const Unit& unit : units) costs.push_back(unit.cost);
    const std::vector<int> owners = share_out(costs, static_cast<int>(bytes.size()));
    std::vector<std::vector<double>> sizes(bytes.size()); // per rank, of its units
    for (std::size_t u = 0; u < units.size(); ++u)
        sizes[static_cast<std::size_t>(owners[u])].push_back(
            model.quantum(units[u].layer).unit_bytes(units[u].cone, gradient));
    for (std::size_t rank = 0; rank < bytes.size(); ++rank) {
        std::vector<double>& own = sizes[rank];
        std::sort(own.begin(), own.end(), std::greater<>());
        const auto at_once =
            std::min(own.size(), static_cast<std::size_t>(unit_workers(own.size(), threads)));
        bytes[rank] = std::max(
            bytes[rank],
            std::accumulate(own.begin(), own.begin() + static_cast<std::ptrdiff_t>(at_once), 0.0));
    }
}

} // namespace

bool is_differentiated(const Model& model, std::size_t layer) {
    const Layer& own = *model.layers()[layer];
    return (own.trainable() && own.parameters() > 0) || model.wiring(layer).needs_gradient;
}

std::vector<Unit> forward_units(const Model& model, const Stage& stage,
                                const ExecutionCounts& counts, std::size_t micro_batch) {
    std::vector<Unit> units;
    for (const std::size_t layer : stage.layers) {
        const Quantum& quantum = model.quantum(layer);
        const std::vector<Cone>& cones = quantum.plan().cones;
        for (std::size_t c = 0; c < cones.size(); ++c)
            for (const Range& range : micro_batches(counts[layer][c], micro_batch)) {
                const double cost =
                    quantum.uses()[c].forward_flops * static_cast<double>(range.size());
                units.push_back(
                    {layer, c, {}, range, cost, range.size() * cones[c].observables.size()});
            }
    }
    return units;
}

std::vector<Unit> backward_units(const Model& model, const Stage& stage,
                                 const ExecutionCounts& counts, std::size_t micro_batch) {
    std::vector<Unit> units;
    for (const std::size_t layer : stage.layers) {
        if (!is_differentiated(model, layer)) continue;
        const bool driven = model.wiring(layer).needs_gradient;
        const Quantum& quantum = model.quantum(layer);
        for (std::size_t c = 0; c < quantum.uses().size(); ++c) {
            const ConeUse& use = quantum.uses()[c];
            const auto pieces = micro_batches(counts[layer][c], micro_batch);
            for (const BlockRange& blocks : use.ranges)
                for (const Range& piece : pieces)
                    units.push_back({layer, c, blocks, piece,
                                     use.gradient_flops * static_cast<double>(piece.size()),
                                     driven ? piece.size() * use.inputs.size() : 0});
        }
    }
    return units;
}

int unit_workers(std::size_t units, int threads) {
    return units < static_cast<std::size_t>(threads) ? 1 : threads;
}

std::size_t count_executions(const Quantum& layer, std::size_t cone, const Table& features) {
    if (!layer.uses()[cone].inputs.empty()) return features.rows;
    return layer.executions(cone, features, Table(features.rows, 0)).samples.size();
}

ExecutionCounts most_executions(const Model& model, const Table& features, std::size_t batch) {
    ExecutionCounts counts;
    for (const auto& layer : model.layers()) {
        std::vector<std::size_t>& own = counts.emplace_back();
        const auto* quantum = dynamic_cast<const Quantum*>(layer.get());
        if (!quantum) continue;
        for (std::size_t c = 0; c < quantum->uses().size(); ++c)
            own.push_back(std::min(batch, count_executions(*quantum, c, features)));
    }
    return counts;
}

std::vector<double> pass_bytes(const Model& model, const ExecutionCounts& counts, int ranks,
                               int threads, std::size_t micro_batch, bool gradients) {
    std::vector<double> bytes(static_cast<std::size_t>(ranks), 0.0);
    for (const Stage& stage : model.stages()) {
        if (!stage.quantum) continue;
        raise(bytes, model, forward_units(model, stage, counts, micro_batch), threads, false);
        if (gradients)
            raise(bytes, model, backward_units(model, stage, counts, micro_batch), threads, true);
    }
    return bytes;
}

} // namespace wavetrain
