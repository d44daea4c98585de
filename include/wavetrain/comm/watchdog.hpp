/// Ends a job that stands still or has lost a rank.
#pragma once

#include "wavetrain/comm/comm.hpp"
#include "wavetrain/comm/status_board.hpp"

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace wavetrain {

/// The limit of a step: five times the longest step so far, at least 10 seconds, never more than
/// the time-out, which is the limit of the first step (the longest so far: 0).
double step_limit_seconds(double longest_step_seconds, double timeout_seconds);

/// A thread that watches this rank. If neither mark() nor await() is called within the limit, it
/// says on stderr which ranks of this host wait and which have not arrived, with what they are
/// doing, gives the other hosts a moment to say the same, and aborts the job with exit code 69
/// before the limit has passed (a few
/// seconds later where only ranks of other hosts are missing). Likewise, at once, if the process of
/// another rank of this host is gone. Time in which the whole process was stopped does not count. 0
/// seconds: off.
class Watchdog {
public:
    /// Collective. `timeout_seconds` is the limit for everything that has none of its own.
    Watchdog(Comm& comm, double timeout_seconds);
    ~Watchdog();
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;

    /// This rank begins with `what` ("writing the weights"); the limit is the time-out.
    void mark(const std::string& what);
    /// This rank begins with a step; step_limit_seconds() is its limit.
    void mark_step(const std::string& what);
    /// A step has ended that took so long.
    void step_took(double seconds);
    /// This rank has done its part of what it began with and waits for the others.
    void await();

private:
    void begin(const std::string& what, double limit_seconds);
    void watch();
    void watch_peers(std::unique_lock<std::mutex>& lock);
    /// Whether all ranks of this host wait, but there are others.
    bool missing_elsewhere() const;
    void say_who_is_missing();
    void end_job(std::unique_lock<std::mutex>& lock, const std::string& reason);

    Comm& comm_;
    double timeout_seconds_;
    StatusBoard board_;
    std::mutex mutex_;
    std::condition_variable wake_;
    std::string what_;
    double limit_seconds_;
    double idle_seconds_ = 0.0;
    double longest_step_ = 0.0; // 0: none measured yet
    double extra_ = 0.0;        // seconds, for other hosts' ranks
    bool spoken_ = false;       // about the present standstill
    bool ended_ = false;
    std::thread thread_;
};

} // namespace wavetrain
