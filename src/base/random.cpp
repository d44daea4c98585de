/// Philox4x32-10 and what is made of it.
#include "wavetrain/base/random.hpp"

#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

namespace wavetrain {
namespace {

constexpr std::uint32_t kMultiplier0 = 0xD2511F53U;
constexpr std::uint32_t kMultiplier1 = 0xCD9E8D57U;
constexpr std::uint32_t kWeyl0 = 0x9E3779B9U;
constexpr std::uint32_t kWeyl1 = 0xBB67AE85U;
constexpr int kRounds = 10;

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key) {
    for (int round = 0; round < kRounds; ++round) {
        const std::uint64_t product0 = std::uint64_t{kMultiplier0} * counter[0];
        const std::uint64_t product1 = std::uint64_t{kMultiplier1} * counter[2];
        counter = {static_cast<std::uint32_t>(product1 >> 32) ^ counter[1] ^ key[0],
                   static_cast<std::uint32_t>(product1),
                   static_cast<std::uint32_t>(product0 >> 32) ^ counter[3] ^ key[1],
                   static_cast<std::uint32_t>(product0)};
        key[0] += kWeyl0;
        key[1] += kWeyl1;
    }
    return counter;
}

/// Words 0,1 and 2,3 of the block of (index, stream, purpose).
std::pair<std::uint64_t, std::uint64_t> block(std::uint64_t seed, Purpose purpose,
                                              std::uint64_t index, std::uint32_t stream) {
    const auto words =
        philox({static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32), stream,
                static_cast<std::uint32_t>(purpose)},
               {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
    return {(std::uint64_t{words[1]} << 32) | words[0], (std::uint64_t{words[3]} << 32) | words[2]};
}

double to_unit(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1.0p-53; }

} // namespace

std::uint64_t random_bits(std::uint64_t seed, Purpose purpose, std::uint64_t index,
                          std::uint32_t stream) {
    return block(seed, purpose, index, stream).first;
}

double random_uniform(std::uint64_t seed, Purpose purpose, std::uint64_t index,
                      std::uint32_t stream) {
    return to_unit(random_bits(seed, purpose, index, stream));
}

double random_normal(std::uint64_t seed, Purpose purpose, std::uint64_t index,
                     std::uint32_t stream) {
    const auto [first, second] = block(seed, purpose, index, stream);
    // 1 - u lies in (0, 1], so that the logarithm is finite.
    return std::sqrt(-2.0 * std::log(1.0 - to_unit(first))) *
           std::cos(2.0 * std::numbers::pi * to_unit(second));
}

std::vector<std::size_t> random_permutation(std::uint64_t seed, Purpose purpose, std::size_t count,
                                            std::uint32_t stream) {
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t last = count; last > 1; --last) {
        // The high word of bits * last is uniform in [0, last) up to 2^-64.
        const auto wide =
            static_cast<unsigned __int128>(random_bits(seed, purpose, last - 1, stream)) * last;
        std::swap(order[last - 1], order[static_cast<std::size_t>(wide >> 64)]);
    }
    return order;
}

} // namespace wavetrain
