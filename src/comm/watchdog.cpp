/// The thread that ends a job which stands still.
#include "wavetrain/comm/watchdog.hpp"

#include "wavetrain/base/error.hpp"
#include "wavetrain/base/log.hpp"
#include "wavetrain/base/machine.hpp"

#include <algorithm>

namespace wavetrain {
namespace {

using Clock = std::chrono::steady_clock;

Clock::duration duration_of(double seconds) {
    constexpr double kLongest = 1e8; // three years; more would overflow the clock
    return std::chrono::duration_cast<Clock::duration>(
        std::chrono::duration<double>(std::min(seconds, kLongest)));
}

/// How long a rank that has spoken waits for the others to speak. Lower ranks wait less, so that
/// mostly one of them alone says how the job ends: by then the launcher has ended the others.
Clock::duration patience(double timeout_seconds, int rank) {
    return duration_of(std::min(1.0, timeout_seconds / 4) +
                       std::min(0.2, timeout_seconds / 10) * std::min(rank, 10));
}

} // namespace

Watchdog::Watchdog(Comm& comm, double timeout_seconds)
    : comm_(comm), timeout_seconds_(timeout_seconds), since_(Clock::now()) {
    if (timeout_seconds_ > 0) thread_ = std::thread([this] { watch(); });
}

Watchdog::~Watchdog() {
    {
        const std::lock_guard lock(mutex_);
        ended_ = true;
    }
    wake_.notify_all();
    if (thread_.joinable()) thread_.join();
}

void Watchdog::mark(std::string what) {
    const std::lock_guard lock(mutex_);
    what_ = std::move(what);
    since_ = Clock::now();
}

void Watchdog::watch() {
    const int rank = comm_.rank();
    const Clock::duration timeout = duration_of(timeout_seconds_);
    std::unique_lock lock(mutex_);
    while (!ended_) {
        if (Clock::now() < since_ + timeout) {
            wake_.wait_until(lock, since_ + timeout);
            continue;
        }
        const Clock::time_point stalled_since = since_;
        log_error("rank {} of {} on {} has not moved for {:g} s; it was at: {}", rank, comm_.size(),
                  host_name(), timeout_seconds_, what_);
        const auto moved = [&] { return ended_ || since_ != stalled_since; };
        if (wake_.wait_until(lock, Clock::now() + patience(timeout_seconds_, rank), moved) ||
            moved())
            continue;
        log_error("rank {} ends the job (exit code {}): the ranks named above wait for those at "
                  "other work or not named; resume it, or raise comm.timeout_seconds if a step may "
                  "take that long",
                  rank, static_cast<int>(Kind::peer));
        lock.unlock();
        try {
            comm_.abort(static_cast<int>(Kind::peer));
        } catch (const Error&) {
            return; // ranks of one process: those that wait are released, this thread is done
        }
    }
}

} // namespace wavetrain
