/// The files of a running training; private to the train room.
#pragma once

#include "run_writer.hpp"
#include "wavetrain/comm/watchdog.hpp"
#include "wavetrain/train/loop.hpp"

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace wavetrain {

/// Metrics, checkpoints and weights of one run. Rank 0 writes; where not said otherwise a function
/// is collective and what fails on rank 0 fails on all ranks.
class RunFiles {
public:
    RunFiles(const TrainSetup& setup, Comm& comm, Watchdog& watchdog);

    /// Makes the folder ready: a new run, or the restored one with its metrics up to the
    /// checkpoint. A `usage` error if the checkpoint belongs to other data.
    void begin(const TrainState& state);
    /// Not collective. Appends events to the metrics while training goes on.
    void record(const std::vector<Json>& events);

    /// Not collective. Whether a checkpoint is due by this rank's clock; always false but on rank
    /// 0.
    bool due_by_time() const;
    /// Not collective. Whether one is due after this step.
    bool due_by_steps(std::int64_t step) const;
    /// Not collective. Writes a checkpoint while training goes on; failing is only a warning.
    void checkpoint(const TrainState& state);
    /// Writes a checkpoint now; the name of its file.
    std::string checkpoint_now(const TrainState& state);
    /// Writes the last checkpoint and the weights; one is tried even if the other fails.
    void finish(const TrainState& state);
    /// Writes the run's last record, with all that could not be written before.
    void end(const Json& event);
    /// Likewise, for a run that ends by an error: what fails here is not said, the error counts.
    void end_by_error(const Json& event);

    /// The files written so far.
    const std::vector<std::string>& files() const { return files_; }

private:
    bool writes() const { return comm_.rank() == 0; }
    void on_first_rank(const std::string& what, const std::function<void()>& body);
    void open(const TrainState& state);
    MetricsHistory begin_afresh() const;
    MetricsHistory restore(const TrainState& state) const;
    void check_samples(const TrainState& state) const;
    Checkpoint snapshot(const TrainState& state) const;

    const TrainSetup& setup_;
    Comm& comm_;
    Watchdog& watchdog_;
    std::string data_sha256_;
    std::shared_ptr<FolderLock> lock_; // these two on rank 0
    std::optional<RunWriter> writer_;
    std::chrono::steady_clock::time_point last_checkpoint_ = std::chrono::steady_clock::now();
    std::vector<std::string> files_;
};

} // namespace wavetrain
