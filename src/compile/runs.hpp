/// Families of blocks and runs of gates: what is alike in a cone.
#pragma once

#include "wavetrain/compile/plan.hpp"

namespace wavetrain {

/// Fills in Block::family, Block::runs, Cone::families and Cone::runs.
void find_alike(const Plan& plan, Cone& cone);

} // namespace wavetrain
