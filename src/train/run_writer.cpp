/// The thread that writes metrics and checkpoints while training goes on.
#include "run_writer.hpp"

#include "wavetrain/base/error.hpp"
#include "wavetrain/base/log.hpp"
#include "wavetrain/io/atomic_file.hpp"

namespace wavetrain {
namespace {

/// Far below the least time after which the watchdog of a waiting rank would speak.
constexpr std::chrono::seconds kPatience{2};
constexpr std::chrono::seconds kWarnEvery{60};

} // namespace

RunWriter::RunWriter(MetricsHistory history, std::string folder, std::int64_t keep,
                     std::function<void(std::int64_t)> before)
    : history_(std::move(history)), folder_(std::move(folder)), keep_(keep),
      before_(std::move(before)), thread_([this] { work(); }) {}

RunWriter::~RunWriter() {
    {
        const std::lock_guard lock(mutex_);
        ended_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

void RunWriter::post(Job job) {
    {
        const std::lock_guard lock(mutex_);
        jobs_.push_back(std::move(job));
    }
    changed_.notify_all();
}

void RunWriter::record(std::string record) { post({std::move(record), std::nullopt}); }

void RunWriter::start(Checkpoint checkpoint) {
    {
        std::unique_lock lock(mutex_);
        // Without a wait where steps are shorter than writes most checkpoints would be left out.
        const bool stood_still = standing_still_;
        const auto patience = stood_still ? std::chrono::seconds(0) : kPatience;
        standing_still_ = !changed_.wait_for(lock, patience, [&] { return checkpoints_ == 0; });
        if (standing_still_) {
            if (!stood_still)
                log_warning("checkpoints are left out from step {} on: one is still being written",
                            checkpoint.state.step);
            return;
        }
        ++checkpoints_;
    }
    post({"", std::move(checkpoint)});
}

void RunWriter::drain() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return jobs_.empty(); });
}

void RunWriter::write_now(Checkpoint checkpoint) {
    drain();
    write(checkpoint);
}

void RunWriter::finish() {
    drain();
    history_.finish();
}

void RunWriter::work() {
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait(lock, [&] { return !jobs_.empty() || ended_; });
        if (jobs_.empty()) return;
        Job& job = jobs_.front(); // stays where it is while others are added behind
        const bool is_checkpoint = job.checkpoint.has_value();
        lock.unlock();
        if (is_checkpoint) {
            try {
                write(*job.checkpoint);
                warned_.reset();
            } catch (const std::exception& caught) {
                warn(job.checkpoint->state.step, as_error(caught).what());
            }
        } else {
            history_.append(std::move(job.record));
        }
        lock.lock();
        if (is_checkpoint) --checkpoints_;
        jobs_.pop_front();
        changed_.notify_all();
    }
}

/// Says that a write has failed; of many in a row only some.
void RunWriter::warn(std::int64_t step, const std::string& reason) {
    const auto now = std::chrono::steady_clock::now();
    if (warned_ && now < *warned_ + kWarnEvery) return;
    warned_ = now;
    log_warning("the checkpoint of step {} could not be written: {}; training goes on, and the "
                "next one is tried",
                step, reason);
}

void RunWriter::write(Checkpoint& checkpoint) {
    const std::int64_t step = checkpoint.state.step;
    checkpoint.metrics_records = history_.records();
    checkpoint.metrics_pending = history_.pending();
    before_(step);
    history_.flush(); // the checkpoint counts on these records
    // Only this one: a run's folder that was removed or moved must not come back half.
    create_folder(folder_);
    replace_text(format("{}/{}", folder_, checkpoint_name(step)), checkpoint_bytes(checkpoint));
    try {
        keep_latest_checkpoints(folder_, keep_);
    } catch (const Error& error) {
        log_warning("old checkpoints could not be removed: {}", error.what());
    }
}

} // namespace wavetrain
