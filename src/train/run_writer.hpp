/// The thread that writes metrics and checkpoints while training goes on; private to the train
/// room.
#pragma once

#include "history.hpp"
#include "wavetrain/train/checkpoint.hpp"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace wavetrain {

/// Writes records and checkpoints of a run, in the order in which they are given; so a checkpoint
/// knows how many records belong to it. Training never waits for a file system that stands still.
/// On rank 0 only.
class RunWriter {
public:
    /// `before(step)` runs before each checkpoint is written, in the writing thread; its failure is
    /// the checkpoint's. `keep` checkpoints stay in `folder`.
    RunWriter(MetricsHistory history, std::string folder, std::int64_t keep,
              std::function<void(std::int64_t)> before);
    /// Waits for all that is under way.
    ~RunWriter();
    RunWriter(const RunWriter&) = delete;
    RunWriter& operator=(const RunWriter&) = delete;

    /// Appends a record to the metrics in the background.
    void record(std::string record);
    /// Writes a checkpoint in the background; its place in the metrics is filled in. If the one
    /// before is still under way this waits for it a little, then leaves this one out, with a
    /// warning. A write that fails is a warning too. Many in a row are not all said.
    void start(Checkpoint checkpoint);
    /// Does all that was given before, then writes this one; an `environment` error if it fails.
    void write_now(Checkpoint checkpoint);
    /// Does all that was given before; an `environment` error if metrics cannot be written.
    void finish();
    /// Likewise, but metrics that cannot be written are left to the warnings.
    void drain();

private:
    /// A record, or a checkpoint.
    struct Job {
        std::string record;
        std::optional<Checkpoint> checkpoint;
    };

    void post(Job job);
    void work();
    void warn(std::int64_t step, const std::string& reason);
    void write(Checkpoint& checkpoint);

    MetricsHistory history_; // the thread's, or anyone's after drain()
    std::string folder_;
    std::int64_t keep_;
    std::function<void(std::int64_t)> before_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Job> jobs_; // the first one is being done
    int checkpoints_ = 0;  // among the jobs
    bool standing_still_ = false;
    std::optional<std::chrono::steady_clock::time_point> warned_; // of the failures in a row
    bool ended_ = false;
    std::thread thread_;
};

} // namespace wavetrain
