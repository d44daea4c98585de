/// A batch on its way through a model, done by all ranks together.
#pragma once

#include "wavetrain/model/stage_units.hpp"
#include "wavetrain/model/workers.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace wavetrain {

/// One pass of a batch, stage by stage. A stage of quantum layers is cut into units, shared
/// out over ranks and threads; one all_gather brings their numbers to every rank. Classical layers
/// run on every rank for all samples. Nothing that any rank holds depends on who did what.
class Pass {
public:
    /// The references must outlive the pass. `what` names the work in messages ("step 3").
    Pass(const Model& model, const Table& features, const Workers& workers, std::string what);

    /// Collective. The model's outputs, one row per row of `features`. What fails on any rank fails
    /// on all.
    const Table& forward();
    /// The inputs that every layer got in forward().
    const std::vector<Table>& inputs() const { return inputs_; }

    /// After forward(): adds the derivatives of a loss in the model's parameters, which begin at
    /// sum 0 of each of `parts` (one for each thread); over all ranks each term is added once.
    /// `upstream` is the derivative of the loss in the outputs. Collective where derivatives pass
    /// through a circuit to a layer before it. What fails in a unit of a stage that exchanges
    /// nothing is thrown on its rank alone.
    void backward(Table upstream, std::span<ExactSums> parts);

private:
    /// What is done for a unit: `samples` are those of its executions, `numbers` what it gives.
    using Body = std::function<void(const Unit& unit, std::span<const std::size_t> samples,
                                    std::span<double> numbers, std::size_t worker, int threads)>;

    Table gather(std::size_t layer) const;
    void forward_quantum(const Stage& stage);
    void backward_quantum(const Stage& stage, std::span<ExactSums> parts);
    void backward_classical(std::size_t layer, std::span<ExactSums> parts);
    bool trains(std::size_t layer) const;
    ExecutionCounts counts() const;
    void pass_down(std::size_t layer, const Table& below);
    void pass_through(const Stage& stage, std::span<const Unit> units,
                      std::span<const double> numbers);

    void run_units(std::span<const Unit> units, std::span<const int> owners,
                   std::span<const std::size_t> places, std::vector<double>& numbers,
                   const Body& body) const;
    std::vector<double> spread(std::span<const Unit> units, bool exchange, const Body& body) const;

    const Model& model_;
    const Table& features_;
    const Workers& workers_;
    std::string what_;
    std::vector<Table> inputs_;                       // per layer
    std::vector<Table> outputs_;                      // per layer
    std::vector<Table> upstream_;                     // per layer
    std::vector<std::vector<Executions>> executions_; // per layer and cone
};

/// The micro-batches of `count` samples whose sums this rank takes on.
std::vector<Range> own_samples(std::size_t count, const Workers& workers);

/// How many samples a rank has counted.
struct Tally {
    std::int64_t samples = 0;
    std::int64_t correct = 0; ///< classified rightly; 0 for a loss without labels
};

/// Adds the losses of this rank's share of the samples to a sum, and counts them.
Tally add_losses(const Loss& loss, const Table& outputs, const Table& labels,
                 const Workers& workers, ExactSums& sums, std::size_t index);

/// Collective. Forward, loss, backward of a batch. Adds this rank's share to `parts`, of which
/// there is one for each thread: at 0 ... parameters()-1 the derivative of the sum of the samples'
/// losses, at parameters() that sum. `labels` has no columns for a loss without labels.
Tally learn(const Model& model, const Loss& loss, const Table& features, const Table& labels,
            const Workers& workers, const std::string& what, std::span<ExactSums> parts);

} // namespace wavetrain
