/// The [engine] table.
#pragma once

#include <cstdint>
#include <string>

namespace wavetrain {

struct EngineOptions {
    std::string precision = "double";   ///< "double" | "single"
    std::string execution = "compiled"; ///< "compiled" | "eager"
    std::int64_t threads = 0;           ///< 0: automatic
    std::int64_t shards = 1;
    std::int64_t micro_batch = 8;
    std::string fusion = "auto"; ///< auto | on | off, as the next four
    std::string light_cones = "auto";
    std::string lanes = "auto";
    std::string late_qubits = "auto";
    std::string deduplicate = "auto";
    std::int64_t piece_amplitudes = 0;
    std::string simd = "auto"; ///< auto | scalar | sse4 | avx2 | avx512 | neon
};

} // namespace wavetrain
