/// Who does the work of a batch.
#pragma once

#include "wavetrain/comm/comm.hpp"

#include <cstddef>
#include <functional>

namespace wavetrain {

/// How work is divided: units of at most `micro_batch` executions, shared out over ranks, on each
/// rank over `threads`. The make-up of a unit depends on neither.
struct Workers {
    Comm& comm;
    int threads = 1;
    std::size_t micro_batch = 8;
    /// Called when this rank has done its part and meets the others (for the watchdog); may be
    /// empty.
    std::function<void()> await{};
    /// Whether this rank is asked to stop: it leaves out what is left of a pass, whose numbers then
    /// mean nothing. May be empty: never.
    std::function<bool()> stop_requested{};

    bool asked_to_stop() const { return stop_requested && stop_requested(); }
};

} // namespace wavetrain
