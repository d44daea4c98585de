/// Checkpoints: everything that a run needs to go on with the same bits (docs/formats.md).
#pragma once

#include "wavetrain/telemetry/metrics.hpp"
#include "wavetrain/train/optimizer.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wavetrain {

/// What training changes from step to step; the same on all ranks.
struct TrainState {
    std::vector<double> parameters;
    OptimizerState optimizer;
    std::int64_t step = 0;           ///< updates done since the start of training
    std::int64_t epoch = 1;          ///< the one that the next step belongs to
    std::int64_t step_in_epoch = 0;  ///< steps of it that are done; all: it remains to be validated
    double loss_sum = 0.0;           ///< over its samples so far
    std::int64_t correct = 0;        ///< likewise
    double epoch_seconds = 0.0;      ///< of training in it so far
    double learning_rate = 0.0;      ///< of the last step
    std::optional<double> best_loss; ///< lowest val_loss, for early stopping
    std::int64_t without_improvement = 0;
    std::optional<Score> training; ///< of the epoch before; none before the first has ended
    std::optional<Score> validation;

    std::int64_t epochs_done() const { return epoch - 1; }
};

/// A state with what it takes to know that a run may go on from it.
struct Checkpoint {
    TrainState state;
    std::string config;       ///< TOML: the resolved config
    std::string data_sha256;  ///< of all samples, training and validation
    std::string order_sha256; ///< of the order in which the epoch takes its samples
    std::string simd;         ///< of the machine: what bits depend on
    std::int64_t piece_amplitudes = 0;
    std::int64_t metrics_records = 0;         ///< records of metrics.jsonl up to this state
    std::vector<std::string> metrics_pending; ///< further ones that could not be written yet
};

/// The bytes of a checkpoint file.
std::string checkpoint_bytes(const Checkpoint& checkpoint);

/// Reads the bytes of a checkpoint file. `environment` errors naming `path`: no checkpoint, or a
/// damaged one (every byte is covered by a hash); `usage`: another format version.
Checkpoint parse_checkpoint(std::string_view bytes, const std::string& path);

/// The bytes of a file that ends as checkpoints do; whether it is whole parse_checkpoint() tells.
/// An `environment` error for any other, which is not read, however large or endless it is.
std::string read_checkpoint(const std::string& path);

/// A checkpoint file that was found whole.
struct CheckpointFile {
    std::string path;
    std::string bytes;
};

/// The checkpoint with the most steps in a folder, by content, whatever the files are called;
/// nothing if there is none. Damaged and unreadable ones are reported as warnings and passed over;
/// an `environment` error if the folder itself cannot be read.
std::optional<CheckpointFile> newest_checkpoint(const std::string& folder);

/// The name of a checkpoint's file, "step-0000000040.h5".
std::string checkpoint_name(std::int64_t step);

/// Removes the checkpoints, by their names, of all steps from `first` on.
void remove_checkpoints_from(const std::string& folder, std::int64_t first);

/// Removes the checkpoints, by their names, of all steps after `step`, which a run goes on from.
/// The file that it goes on from stays: if its name is that of a later step it gets its right one.
void remove_checkpoints_after(const std::string& folder, std::int64_t step,
                              const std::string& origin);

/// Removes all checkpoints, by their names, but those with the most steps.
void keep_latest_checkpoints(const std::string& folder, std::int64_t keep);

} // namespace wavetrain
