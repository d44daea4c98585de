/// Which vector instructions the kernels use.
#pragma once

#include <string_view>
#include <vector>

namespace wavetrain {

/// The instruction sets that kernels exist for, from the plainest to the widest.
enum class SimdTarget { scalar, sse4, avx2, avx512, neon };

/// "scalar", "sse4", "avx2", "avx512" or "neon".
std::string_view simd_name(SimdTarget target);
/// Those that this processor has, the best last.
std::vector<SimdTarget> simd_targets();
/// Makes the kernels of the whole process use a target. "auto" is the best one. A `usage` error for
/// a name that does not exist, an `environment` error for one that this processor lacks. Not while
/// a simulation runs.
void use_simd(std::string_view name);
/// The target in use.
SimdTarget simd_in_use();

} // namespace wavetrain
