/// What a plan costs, before anything runs.
#pragma once

#include "wavetrain/compile/plan.hpp"

namespace wavetrain {

/// Floating-point operations to run a cone once: per block 8 * 2^targets for every amplitude that
/// its controls select, and for each term of an observable 4 per amplitude.
double forward_flops(const Cone& cone);

/// Flops of one adjoint gradient of a cone: forward, the bra, then every block undone on two states
/// with its transition matrix.
double adjoint_flops(const Cone& cone);

/// Flops of one parameter-shift gradient in all symbols: for every shifted execution what follows
/// its block.
double shift_flops(const Plan& plan, const Cone& cone);

} // namespace wavetrain
