/// The training loop.
#pragma once

#include "wavetrain/comm/watchdog.hpp"
#include "wavetrain/model/weights_file.hpp"
#include "wavetrain/telemetry/metrics.hpp"
#include "wavetrain/train/batch.hpp"
#include "wavetrain/train/checkpoint.hpp"
#include "wavetrain/train/optimizer.hpp"
#include "wavetrain/train/run_folder.hpp"

#include <memory>
#include <string>
#include <vector>

namespace wavetrain {

/// Where a run goes on.
struct Resumption {
    Checkpoint checkpoint;
    std::string file;    ///< that it was read from
    std::string metrics; ///< the run's metrics.jsonl, of which the records up to then are kept
};

/// Everything that training needs, the same on all ranks.
struct TrainSetup {
    Model& model;
    const Loss& loss;
    const Samples& training;
    const Samples& validation;      ///< may be empty
    std::vector<double> parameters; ///< at the start
    TrainOptions options;
    OptimizerOptions optimizer;
    CheckpointOptions checkpoint;
    RunFolder folder;
    bool overwrite = false;
    std::optional<Resumption> resumption; ///< none: a new run
    std::shared_ptr<FolderLock> lock;     ///< of the folder, where it was taken before
    std::string config_text;              ///< the resolved config, for the run's folder
    std::string config_identity;          ///< the same with paths from the root, for checkpoints
    WeightsInfo weights_info;
    bool show_progress = true;
};

/// What came out.
struct TrainResult {
    std::int64_t epochs = 0; ///< epochs done
    std::int64_t steps = 0;
    std::optional<Score> training; ///< of the last epoch; none without epochs
    std::optional<Score> validation;
    double seconds = 0.0;           ///< whole training
    std::vector<std::string> files; ///< every file written
};

/// Collective. Trains: claims the folder, or goes on from a checkpoint with the bits of the run
/// that wrote it; runs the epochs; writes metrics.jsonl and checkpoints on the way, the last
/// checkpoint and weights.h5 at the end. All ranks hold the same parameters after every step
/// (checked by hash once an epoch and at checkpoints). If a rank is asked to stop
/// (Workers::stop_requested), all write a checkpoint after the same step and throw a `stopped`
/// error. Other errors: see learn_batch(), claim_folder(); `usage` if a checkpoint does not fit;
/// `bug` if ranks disagree.
TrainResult train(const TrainSetup& setup, const Workers& workers, Watchdog& watchdog);

} // namespace wavetrain
