/// In which order an epoch takes its samples; private to the train room.
#pragma once

#include "wavetrain/train/batch.hpp"

#include <cstddef>
#include <string>

namespace wavetrain {

/// The hash of an epoch's order: the sample numbers as 64-bit integers.
std::string order_sha256(const TrainOptions& options, std::size_t count, std::int64_t epoch);

} // namespace wavetrain
