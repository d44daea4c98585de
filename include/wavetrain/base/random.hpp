/// Counter-based random numbers: every number is a pure function of (seed, purpose, index).
#pragma once

#include <cstdint>
#include <vector>

namespace wavetrain {

/// What a random number is for; two purposes never share a number.
enum class Purpose : std::uint32_t {
    data = 1,
    shuffle = 2,
    weights = 3,
    samples = 4,
    checks = 5,
};

/// 64 random bits by Philox4x32-10 (Salmon et al., SC'11, "Parallel random numbers: as easy as
/// 1, 2, 3"): key = seed, counter = (index, stream, purpose). `stream` tells apart series of one
/// purpose (an epoch, a layer).
std::uint64_t random_bits(std::uint64_t seed, Purpose purpose, std::uint64_t index,
                          std::uint32_t stream = 0);

/// Uniform in [0, 1), a multiple of 2^-53.
double random_uniform(std::uint64_t seed, Purpose purpose, std::uint64_t index,
                      std::uint32_t stream = 0);

/// Standard normal, by Box and Muller from two uniforms.
double random_normal(std::uint64_t seed, Purpose purpose, std::uint64_t index,
                     std::uint32_t stream = 0);

/// A permutation of 0 ... count-1 (Fisher-Yates).
std::vector<std::size_t> random_permutation(std::uint64_t seed, Purpose purpose, std::size_t count,
                                            std::uint32_t stream = 0);

} // namespace wavetrain
