/// The thread that ends a job which stands still or has lost a rank.
#include "wavetrain/comm/watchdog.hpp"

#include "wavetrain/base/error.hpp"
#include "wavetrain/base/log.hpp"
#include "wavetrain/base/machine.hpp"

#include <algorithm>
#include <chrono>

namespace wavetrain {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kLeastStepLimit = 10.0; // seconds
constexpr double kStepFactor = 5.0;
constexpr double kSilence = 2.0; // seconds without a beat: the process does not run

/// How long before the limit a rank speaks: time for the ranks of other hosts to speak as well,
/// and for the job to end.
double reserve(double limit) { return std::min(2.5, limit / 4); }

/// How long a rank that has spoken waits before it ends the job. Lower ranks wait less, so that
/// mostly one of them alone says how the job ends: by then the launcher has ended the others.
double patience(double limit, int rank) {
    return std::min(1.0, limit / 10) + std::min(0.1, limit / 100) * std::min(rank, 10);
}

/// How much longer it waits if nobody of its host is missing: a rank that stands still elsewhere is
/// noticed there. A host that is lost the launcher has to notice (scripts/wavetrain-run: within 11
/// s) before it is told to end that host's ranks, or it waits for the answer.
double patience_with_other_hosts(double limit) { return std::min(6.0, 0.6 * limit); }

std::string listed(const std::vector<int>& ranks) {
    return format("{} {}", ranks.size() == 1 ? "rank" : "ranks", fmt::join(ranks, ", "));
}

} // namespace

double step_limit_seconds(double longest_step_seconds, double timeout_seconds) {
    if (longest_step_seconds <= 0) return timeout_seconds;
    return std::min(timeout_seconds, std::max(kLeastStepLimit, kStepFactor * longest_step_seconds));
}

Watchdog::Watchdog(Comm& comm, double timeout_seconds)
    : comm_(comm), timeout_seconds_(timeout_seconds), board_(comm),
      limit_seconds_(timeout_seconds) {
    if (timeout_seconds_ > 0) thread_ = std::thread([this] { watch(); });
}

Watchdog::~Watchdog() {
    board_.leave();
    {
        const std::lock_guard lock(mutex_);
        ended_ = true;
    }
    wake_.notify_all();
    if (thread_.joinable()) thread_.join();
}

void Watchdog::begin(const std::string& what, double limit_seconds) {
    const std::lock_guard lock(mutex_);
    what_ = what;
    limit_seconds_ = limit_seconds;
    idle_seconds_ = 0.0;
    board_.post(what_, false);
}

void Watchdog::mark(const std::string& what) { begin(what, timeout_seconds_); }

void Watchdog::mark_step(const std::string& what) {
    begin(what, step_limit_seconds(longest_step_, timeout_seconds_));
}

void Watchdog::step_took(double seconds) { longest_step_ = std::max(longest_step_, seconds); }

void Watchdog::await() {
    const std::lock_guard lock(mutex_);
    idle_seconds_ = 0.0;
    board_.post(what_, true);
}

bool Watchdog::missing_elsewhere() const {
    const std::vector<RankStatus> here = board_.read();
    return !here.empty() && static_cast<int>(here.size()) < comm_.size() &&
           std::all_of(here.begin(), here.end(), [](const RankStatus& status) {
               return status.waiting && status.silent_seconds < kSilence;
           });
}

/// What this rank can see of its own host. One rank of each host speaks: the lowest that waits, or
/// where none does, the lowest.
void Watchdog::say_who_is_missing() {
    std::vector<int> waiting;
    std::vector<RankStatus> missing;
    for (const RankStatus& status : board_.read()) {
        if (status.ended) continue;
        // A process that is stopped may stand where it waits.
        if (status.waiting && status.silent_seconds < kSilence)
            waiting.push_back(status.rank);
        else
            missing.push_back(status);
    }
    const int speaker = !waiting.empty()   ? waiting.front()
                        : !missing.empty() ? missing.front().rank
                                           : comm_.rank();
    if (speaker != comm_.rank()) return;
    if (!waiting.empty())
        log_error("{} of {} on {}: waiting for the others for {:.1f} s, at: {}", listed(waiting),
                  comm_.size(), host_name(), idle_seconds_, what_);
    for (const RankStatus& status : missing)
        log_error("rank {} of {} on {} has not arrived: for {:.1f} s it has been at: {}{}",
                  status.rank, comm_.size(), host_name(), status.seconds, status.what,
                  status.silent_seconds < kSilence ? "" : " (its process is stopped)");
}

void Watchdog::end_job(std::unique_lock<std::mutex>& lock, const std::string& reason) {
    log_error("rank {} ends the job (exit code {}): {}; go on from the newest checkpoint with "
              "--resume auto",
              comm_.rank(), static_cast<int>(Kind::peer), reason);
    board_.leave();
    ended_ = true;
    lock.unlock();
    try {
        comm_.abort(static_cast<int>(Kind::peer));
    } catch (const Error&) {
        lock.lock(); // ranks of one process: those that wait are released, this thread is done
    }
}

/// Each rank watches the next one of its host; so a rank that is lost is seen by one that lives.
void Watchdog::watch_peers(std::unique_lock<std::mutex>& lock) {
    const std::vector<RankStatus> all = board_.read();
    if (all.empty()) return;
    const auto next = std::find_if(all.begin(), all.end(), [&](const RankStatus& status) {
        return status.rank > comm_.rank();
    });
    const RankStatus& peer = next == all.end() ? all.front() : *next;
    if (peer.ended || !board_.lost(peer.rank)) return;
    end_job(lock,
            format("rank {} of {} on {} was lost, its process is gone; it was at: {} (a process "
                   "killed without a word has often run out of memory)",
                   peer.rank, comm_.size(), host_name(), peer.what));
}

void Watchdog::watch() {
    const double tick = std::min(0.2, timeout_seconds_ / 20);
    std::unique_lock lock(mutex_);
    auto last = Clock::now();
    while (!ended_) {
        wake_.wait_for(lock, std::chrono::duration<double>(tick));
        const auto now = Clock::now();
        // A process that was stopped (SIGSTOP, a suspended job) finds a long time gone: not its
        // own.
        idle_seconds_ += std::min(std::chrono::duration<double>(now - last).count(), 3 * tick);
        last = now;
        if (ended_) return;
        board_.beat();
        watch_peers(lock);
        const double due = limit_seconds_ - reserve(limit_seconds_);
        if (ended_) return;
        if (idle_seconds_ < due) {
            spoken_ = false;
        } else if (!spoken_) {
            spoken_ = true;
            say_who_is_missing();
            extra_ = missing_elsewhere() ? patience_with_other_hosts(limit_seconds_) : 0.0;
        } else if (idle_seconds_ >= due + patience(limit_seconds_, comm_.rank()) + extra_) {
            end_job(lock,
                    "it stands still; the ranks that have not arrived, or are not named, keep the "
                    "others waiting (if a step may take that long, raise comm.timeout_seconds)");
        }
    }
}

} // namespace wavetrain
