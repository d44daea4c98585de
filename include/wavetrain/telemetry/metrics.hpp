/// What training reports: records, the stream metrics.jsonl, the progress line.
#pragma once

#include "wavetrain/base/json.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace wavetrain {

/// Loss and, where the loss has one, accuracy.
struct Score {
    double loss = 0.0;
    std::optional<double> accuracy;
};

/// What is known at the end of an epoch.
struct EpochRecord {
    std::int64_t epoch = 0;  ///< from 1
    std::int64_t epochs = 0; ///< of the whole run
    std::int64_t step = 0;   ///< updates done since the start of training
    Score training;
    std::optional<Score> validation;
    double learning_rate = 0.0;
    double seconds = 0.0; ///< training part of the epoch
    double samples_per_second = 0.0;
    std::string weights_sha256;
};

/// What is known at the start.
struct StartRecord {
    std::string run;
    std::string version;
    int ranks = 1;
    int threads = 1;
    std::uint64_t seed = 0;
    std::size_t parameters = 0;
};

/// The events of metrics.jsonl.
Json start_event(const StartRecord& record);
Json step_event(std::int64_t step, double loss);
Json order_event(std::int64_t epoch, const std::vector<std::int64_t>& ids);
Json epoch_event(const EpochRecord& record);
Json resume_event(std::int64_t step, const std::string& checkpoint, int ranks, int threads);
Json end_event(const std::string& status, std::int64_t epochs, const std::string& weights,
               int exit_code);

/// The progress of training on stderr: where it is a terminal a line that redraws itself, elsewhere
/// one plain line per epoch. Silent if told so.
class Progress {
public:
    /// `epochs_before`: those (and the part of one) that were done before this program started.
    Progress(bool shown, std::int64_t epochs, std::int64_t steps_per_epoch,
             double epochs_before = 0.0);

    /// After a step of an epoch: redraws the line (at most some times a second).
    void step(std::int64_t epoch, std::int64_t step_in_epoch, double loss);
    /// After an epoch: its final line.
    void epoch(const EpochRecord& record);

private:
    void draw(const std::string& line, bool final_line);
    std::string remaining(double done_epochs) const;

    bool shown_;
    bool terminal_;
    std::int64_t epochs_;
    std::int64_t steps_per_epoch_;
    double epochs_before_;
    std::chrono::steady_clock::time_point start_;
    std::chrono::steady_clock::time_point last_drawn_;
};

} // namespace wavetrain
