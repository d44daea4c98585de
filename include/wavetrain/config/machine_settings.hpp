/// What bits depend on of the machine.
#pragma once

#include <cstdint>
#include <string>

namespace wavetrain {

/// Settled once for all ranks, stored in weights and checkpoints.
struct MachineSettings {
    std::string simd = "auto";         ///< a SIMD target
    std::int64_t piece_amplitudes = 0; ///< of a sweep over a state; 0: not settled
};

} // namespace wavetrain
