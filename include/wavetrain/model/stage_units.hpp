/// The units of work of a stage of quantum layers, and the memory that they take.
#pragma once

#include "wavetrain/model/model.hpp"
#include "wavetrain/model/units.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace wavetrain {

/// A cone, a micro-batch of its executions and, for gradients by parameter shift, a range of its
/// blocks.
struct Unit {
    std::size_t layer;
    std::size_t cone;
    BlockRange blocks;
    Range executions;
    double cost;
    std::size_t numbers; ///< that it gives to all ranks
};

/// How many executions a batch needs: per layer and cone; nothing for classical layers.
using ExecutionCounts = std::vector<std::vector<std::size_t>>;

/// Whether a pass backward takes derivatives of a layer: in its parameters or in its inputs.
bool is_differentiated(const Model& model, std::size_t layer);

/// The units of a stage, forward and backward. A pure function of what is computed: ranks and
/// threads play no part.
std::vector<Unit> forward_units(const Model& model, const Stage& stage,
                                const ExecutionCounts& counts, std::size_t micro_batch);
std::vector<Unit> backward_units(const Model& model, const Stage& stage,
                                 const ExecutionCounts& counts, std::size_t micro_batch);

/// The threads that share out a rank's units; where it has fewer units than threads, one: the
/// threads then share the state of each unit.
int unit_workers(std::size_t units, int threads);

/// Executions of a cone for these rows, before the model has run: where other layers give some of
/// its inputs, one for each row.
std::size_t count_executions(const Quantum& layer, std::size_t cone, const Table& features);
/// The most executions that any batch of at most `batch` of these rows needs.
ExecutionCounts most_executions(const Model& model, const Table& features, std::size_t batch);

/// Bytes of states that each of `ranks` ranks of `threads` threads holds at once, at most, in a
/// pass forward and, with `gradients`, backward. Exact up to 2^53 bytes.
std::vector<double> pass_bytes(const Model& model, const ExecutionCounts& counts, int ranks,
                               int threads, std::size_t micro_batch, bool gradients);

} // namespace wavetrain
