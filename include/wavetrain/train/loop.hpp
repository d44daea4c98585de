/// The training loop.
#pragma once

#include "wavetrain/model/weights_file.hpp"
#include "wavetrain/telemetry/metrics.hpp"
#include "wavetrain/train/batch.hpp"
#include "wavetrain/train/optimizer.hpp"
#include "wavetrain/train/run_folder.hpp"

#include <string>
#include <vector>

namespace wavetrain {

/// Everything that training needs, the same on all ranks.
struct TrainSetup {
    Model& model;
    const Loss& loss;
    const Samples& training;
    const Samples& validation;      ///< may be empty
    std::vector<double> parameters; ///< at the start
    TrainOptions options;
    OptimizerOptions optimizer;
    double timeout_seconds = 300;
    RunFolder folder;
    bool overwrite = false;
    std::string config_text; ///< the resolved config, for the run's folder
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

/// Collective. Trains: claims the folder, runs the epochs, writes metrics.jsonl on the way and
/// weights.h5 at the end. All ranks hold the same parameters after every step (checked by hash once
/// an epoch). Errors: see learn_batch(), claim_folder(); `bug` if ranks disagree.
TrainResult train(const TrainSetup& setup, const Workers& workers);

} // namespace wavetrain
