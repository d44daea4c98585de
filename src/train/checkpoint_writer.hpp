/// The thread that writes checkpoints while training goes on; private to the train room.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace wavetrain {

/// Writes checkpoints into a folder, one at a time, and removes old ones. On rank 0 only.
class CheckpointWriter {
public:
    /// `before(step)` runs before each write, in the writing thread; its failure is the write's.
    CheckpointWriter(std::string folder, std::int64_t keep,
                     std::function<void(std::int64_t)> before);
    /// Waits for the write that is under way.
    ~CheckpointWriter();
    CheckpointWriter(const CheckpointWriter&) = delete;
    CheckpointWriter& operator=(const CheckpointWriter&) = delete;

    /// Writes in the background. If the write before is still under way it waits for that a little;
    /// a file system that stands still does not hold up training: the checkpoint is left out, which
    /// is said as a warning. So is a write that fails. Many in a row are not all said.
    void start(std::int64_t step, std::string bytes);
    /// Writes now, after what is under way. An `environment` error if it fails.
    void write_now(std::int64_t step, const std::string& bytes);

    std::string path(std::int64_t step) const;

private:
    struct Job {
        std::int64_t step = 0;
        std::string bytes;
    };

    void work();
    void warn(const std::string& reason);
    void write(std::int64_t step, const std::string& bytes) const;

    std::string folder_;
    std::int64_t keep_;
    std::function<void(std::int64_t)> before_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::optional<Job> job_; // until it is done
    bool standing_still_ = false;
    std::optional<std::chrono::steady_clock::time_point> warned_; // of the failures in a row
    bool ended_ = false;
    std::thread thread_;
};

} // namespace wavetrain
