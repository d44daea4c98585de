/// Sweeps: blocks that run together on cache-sized pieces of the state.
#pragma once

#include "wavetrain/compile/plan.hpp"

namespace wavetrain {

/// Puts the cone's blocks in an order of sweeps (blocks on common positions keep their order) and
/// notes the sweeps. A piece has 2^piece amplitudes, or the whole state if that is smaller.
void make_sweeps(Cone& cone, int piece);

} // namespace wavetrain
