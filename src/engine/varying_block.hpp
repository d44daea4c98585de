/// The factors of a block that varies.
#pragma once

#include "block_algebra.hpp"
#include "wavetrain/engine/bound.hpp"

namespace wavetrain {

/// Runs first ... last-1 of the block: one that varies, or neighbours that do not.
struct VaryingBlock::Factor {
    GatePlace place;
    std::size_t first = 0;
    std::size_t last = 0;
    bool varying = false;
    Matrix matrix;    ///< on the place's targets
    BoundRun numbers; ///< of one that varies
};

/// The gates of a run. A `numeric` error as for BoundCone.
void bind_run(const Plan& plan, const GateRun& run, std::span<const double> symbols,
              BoundRun& bound);

} // namespace wavetrain
