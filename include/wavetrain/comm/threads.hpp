/// Ranks as threads of one process: the Comm of unit tests.
#pragma once

#include "wavetrain/comm/comm.hpp"

#include <functional>

namespace wavetrain {

/// Runs body(comm) on `ranks` threads and returns when all have ended. If one rank throws or
/// aborts, the others leave their collectives with a `peer` error; the first exception (by time)
/// is thrown again. `hosts` > 1 deals the ranks out to that many pretended hosts in blocks.
void run_ranks(int ranks, const std::function<void(Comm&)>& body, int hosts = 1);

} // namespace wavetrain
