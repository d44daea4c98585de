/// What the kernels reach on this processor.
#pragma once

#include <string>
#include <vector>

namespace wavetrain {

struct ProbeRow {
    std::string name;
    double value = 0.0;
    const char* unit = ""; ///< "GFLOP/s" or "GB/s" (read and written)
};

/// Times the kernels on one core, in single precision: in cache, where arithmetic limits them, and
/// in memory.
std::vector<ProbeRow> probe_kernels();

} // namespace wavetrain
