/// Batches: samples in memory as rows, done by all ranks together.
#pragma once

#include "wavetrain/data/dataset.hpp"
#include "wavetrain/model/pass.hpp"
#include "wavetrain/train/options.hpp"

#include <optional>
#include <span>
#include <vector>

namespace wavetrain {

/// Samples ready for a model: features in the model's column order, labels beside them.
struct Samples {
    Table features;
    Table labels; ///< no columns: no labels

    std::size_t count() const { return features.rows; }
};

/// The rows first ... first+count-1 of a data set, its columns in the order of `columns`. A `usage`
/// error naming `where` the data came from if a column is missing.
Samples take_samples(const Dataset& data, const std::vector<std::string>& columns,
                     std::size_t first, std::size_t count, const std::string& where);

/// The rows `ids` of a table.
Table take_rows(const Table& table, std::span<const std::size_t> ids);

/// The order of the training samples in an epoch (from 1): a function of seed and epoch.
std::vector<std::size_t> epoch_order(const TrainOptions& options, std::size_t count,
                                     std::int64_t epoch);

/// What a rank tells the others in a step's sum, beside its numbers.
struct StepFlags {
    bool stop = false;        ///< it is asked to stop
    bool checkpoint = false;  ///< it finds that a checkpoint is due
    bool user_signal = false; ///< it has received USR2
    bool spoil = false;       ///< a test aid: puts a NaN into its share
};

/// One step's result, the same on all ranks.
struct StepResult {
    std::vector<double> gradient; ///< of the mean loss
    double loss_sum = 0.0;        ///< over the samples
    std::int64_t correct = 0;
    std::int64_t samples = 0;
    /// Whether some rank said so.
    bool stop = false;
    bool checkpoint = false;
    bool user_signal = false;
};

/// Collective. Gradient of the mean loss over the samples `ids`, by one exact sum over all ranks.
/// `what` names the step in the `numeric` error that a loss or gradient that is not finite ends in
/// (it names the ranks).
StepResult learn_batch(const Model& model, const Loss& loss, const Samples& samples,
                       std::span<const std::size_t> ids, const Workers& workers,
                       const std::string& what, const StepFlags& flags);

/// Loss and number of right answers over a whole set.
struct Evaluation {
    std::size_t samples = 0;
    double loss = 0.0;              ///< mean; 0 without samples
    std::optional<double> accuracy; ///< where the loss has one
    bool stopped = false;           ///< some rank was asked to stop: the numbers mean nothing
};

/// Collective. Evaluates all samples; a `numeric` error if the loss is not finite. A rank that is
/// asked to stop leaves out what is left of its share.
Evaluation evaluate_samples(const Model& model, const Loss& loss, const Samples& samples,
                            const Workers& workers, const std::string& what);

/// Collective. The model's outputs for all samples, on every rank.
Table predict_samples(const Model& model, const Samples& samples, const Workers& workers);

} // namespace wavetrain
