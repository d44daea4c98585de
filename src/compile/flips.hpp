/// CNOTs folded into the blocks that follow them.
#pragma once

#include "wavetrain/compile/plan.hpp"

namespace wavetrain {

/// Turns CNOTs that stand alone into flips (Block::flips) of the next block on their target, where
/// that one is a dense matrix on two positions: they then cost nothing.
void fold_flips(const Plan& plan, Cone& cone);

} // namespace wavetrain
