/// In which order an epoch takes its samples; private to the train room.
#pragma once

#include "wavetrain/train/options.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace wavetrain {

/// The order of the training samples in an epoch (from 1): a function of seed and epoch.
std::vector<std::size_t> epoch_order(const TrainOptions& options, std::size_t count,
                                     std::int64_t epoch);

/// Its hash: the sample numbers as 64-bit integers.
std::string order_sha256(const TrainOptions& options, std::size_t count, std::int64_t epoch);

} // namespace wavetrain
