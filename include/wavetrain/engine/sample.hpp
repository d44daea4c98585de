/// Measurement: samples of basis states.
#pragma once

#include "wavetrain/engine/state.hpp"

#include <cstdint>
#include <map>

namespace wavetrain {

/// `count` samples from |amplitude|^2 (divided by its sum): shot i is decided by the random number
/// (seed, i) alone. Returns how often each basis state (index of the amplitude) occurred.
template <class Real>
std::map<std::uint64_t, std::uint64_t> sample(const State<Real>& state, std::uint64_t count,
                                              std::uint64_t seed);

} // namespace wavetrain
