/// The phases of Pauli words.
#pragma once

#include "wavetrain/circuit/matrix.hpp"

#include <array>
#include <bit>
#include <cstdint>

namespace wavetrain {

/// (-1)^(number of bits set).
inline double sign_of(std::uint64_t bits) { return std::popcount(bits) % 2 == 0 ? 1.0 : -1.0; }

/// i^count.
inline Complex power_of_i(int count) {
    constexpr std::array<Complex, 4> kPowers{Complex{1, 0}, Complex{0, 1}, Complex{-1, 0},
                                             Complex{0, -1}};
    return kPowers[static_cast<std::size_t>(count) & 3];
}

} // namespace wavetrain
