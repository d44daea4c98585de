/// The thread that writes checkpoints while training goes on.
#include "checkpoint_writer.hpp"

#include "wavetrain/base/error.hpp"
#include "wavetrain/base/log.hpp"
#include "wavetrain/io/atomic_file.hpp"
#include "wavetrain/train/checkpoint.hpp"

#include <chrono>

namespace wavetrain {
namespace {

/// Far below the least time after which the watchdog of a waiting rank would speak.
constexpr std::chrono::seconds kPatience{2};
constexpr std::chrono::seconds kWarnEvery{60};

} // namespace

CheckpointWriter::CheckpointWriter(std::string folder, std::int64_t keep,
                                   std::function<void(std::int64_t)> before)
    : folder_(std::move(folder)), keep_(keep), before_(std::move(before)),
      thread_([this] { work(); }) {}

CheckpointWriter::~CheckpointWriter() {
    {
        const std::lock_guard lock(mutex_);
        ended_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

std::string CheckpointWriter::path(std::int64_t step) const {
    return format("{}/{}", folder_, checkpoint_name(step));
}

void CheckpointWriter::start(std::int64_t step, std::string bytes) {
    {
        std::unique_lock lock(mutex_);
        // Without a wait where steps are shorter than writes most checkpoints would be left out.
        const bool stood_still = standing_still_;
        const auto patience = stood_still ? std::chrono::seconds(0) : kPatience;
        standing_still_ = !changed_.wait_for(lock, patience, [&] { return !job_; });
        if (standing_still_) {
            if (!stood_still)
                log_warning("checkpoints are left out from step {} on: that of step {} is still "
                            "being written",
                            step, job_->step);
            return;
        }
        job_ = Job{step, std::move(bytes)};
    }
    changed_.notify_all();
}

void CheckpointWriter::write_now(std::int64_t step, const std::string& bytes) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !job_; });
    write(step, bytes);
}

void CheckpointWriter::work() {
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait(lock, [&] { return job_ || ended_; });
        if (!job_) return;
        lock.unlock();
        try {
            write(job_->step, job_->bytes);
            warned_.reset();
        } catch (const std::exception& caught) {
            warn(as_error(caught).what());
        }
        lock.lock();
        job_.reset();
        changed_.notify_all();
    }
}

/// Says that the write under way has failed; of many in a row only some.
void CheckpointWriter::warn(const std::string& reason) {
    const auto now = std::chrono::steady_clock::now();
    if (warned_ && now < *warned_ + kWarnEvery) return;
    warned_ = now;
    log_warning("the checkpoint of step {} could not be written: {}; training goes on, and the "
                "next one is tried",
                job_->step, reason);
}

void CheckpointWriter::write(std::int64_t step, const std::string& bytes) const {
    before_(step);
    create_folders(folder_);
    replace_text(path(step), bytes);
    try {
        keep_latest_checkpoints(folder_, keep_);
    } catch (const Error& error) {
        log_warning("old checkpoints could not be removed: {}", error.what());
    }
}

} // namespace wavetrain
