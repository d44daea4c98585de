/// Faults on purpose: the test aid WAVETRAIN_FAULT.
#pragma once

#include "wavetrain/comm/comm.hpp"

namespace wavetrain {

/// Injects the fault of WAVETRAIN_FAULT="rank=2,at=data|step:3,kind=KIND" if this rank is at that
/// place: data (reading), step:N, validation:EPOCH, checkpoint:STEP (before it is written), weights
/// (before they are written). Kinds: throw (a `bug` error), bad_alloc, missing (an `environment`
/// error as of a missing file), hang (sleeps for ever), kill (SIGKILL to itself), slow (sleeps for
/// 50 ms, at this step and all later ones), nan (returns true: the caller spoils a number). Without
/// the variable: false. A malformed variable is a `usage` error.
bool inject_fault(const Comm& comm, std::string_view place);

} // namespace wavetrain
