/// Who does the work of a batch.
#pragma once

#include "wavetrain/comm/comm.hpp"

#include <cstddef>
#include <functional>
#include <string>

namespace wavetrain {

/// How work is divided: units of at most `micro_batch` executions, shared out over ranks, on each
/// rank over `threads`. The make-up of a unit depends on neither.
struct Workers {
    Comm& comm;
    int threads = 1;
    std::size_t micro_batch = 8;
    /// Told what this rank waits for before it meets the others (for the watchdog); may be empty.
    std::function<void(const std::string& what)> mark{};
};

} // namespace wavetrain
