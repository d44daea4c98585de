/// The [train], [optimizer], [comm], [checkpoint] and [output] tables.
#pragma once

#include <cstdint>
#include <string>

namespace wavetrain {

struct TrainOptions {
    std::int64_t epochs = 50;
    std::int64_t batch_size = 32; ///< over all ranks
    bool shuffle = true;
    std::uint64_t seed = 1;
    std::string loss = "mse";
    std::string initial_weights;
    double clip_norm = 0.0;
    std::int64_t early_stopping_patience = 0;
    std::int64_t log_every_steps = 0;
    bool log_order = false;
};

struct ScheduleOptions {
    std::string kind = "constant"; ///< constant | exponential | cosine
    std::int64_t warmup_steps = 0;
    std::int64_t decay_steps = 0;
    double decay_rate = 1.0;
};

struct OptimizerOptions {
    std::string name = "adam"; ///< sgd | adam | adamw | rmsprop | adagrad
    double learning_rate = 0.02;
    double beta_1 = 0.9;
    double beta_2 = 0.999;
    double epsilon = 1e-7;
    double momentum = 0.0;
    bool nesterov = false;
    double weight_decay = 0.004;
    double rho = 0.9;
    ScheduleOptions schedule;
};

struct CommOptions {
    double timeout_seconds = 300; ///< 0: no watchdog
};

struct CheckpointOptions {
    std::int64_t every_steps = 0;
    double every_seconds = 300;
    std::int64_t keep = 3;
};

struct OutputOptions {
    std::string folder;
};

} // namespace wavetrain
