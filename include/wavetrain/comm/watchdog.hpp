/// Ends a job that stands still.
#pragma once

#include "wavetrain/comm/comm.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace wavetrain {

/// A thread that watches this rank: without a mark() for `timeout_seconds` it says on stderr what
/// the rank was doing, gives the other ranks a moment to say the same (so that the log names who
/// waits and who has not arrived), and aborts the job with exit code 69. 0 seconds: off.
class Watchdog {
public:
    Watchdog(Comm& comm, double timeout_seconds);
    ~Watchdog();
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;

    /// This rank is alive and now does `what` ("step 3: waiting for the other ranks").
    void mark(std::string what);

private:
    void watch();

    Comm& comm_;
    double timeout_seconds_;
    std::mutex mutex_;
    std::condition_variable wake_;
    std::string what_ = "starting";
    std::chrono::steady_clock::time_point since_;
    bool ended_ = false;
    std::thread thread_;
};

} // namespace wavetrain
