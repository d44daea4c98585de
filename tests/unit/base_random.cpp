/// Random numbers: known answers, and the laws of permutations and distributions.
#include "catch.hpp"
#include "wavetrain/base/random.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

using namespace wavetrain;

TEST_CASE("Philox4x32-10 gives the published answers", "[base]") {
    // kat_vectors of Random123, the distribution of Salmon et al. (SC'11): words 0 and 1 of each.
    CHECK(random_bits(0, Purpose{0}, 0, 0) == 0xe169c58d6627e8d5U);
    CHECK(random_bits(0xffffffffffffffffU, Purpose{0xffffffffU}, 0xffffffffffffffffU,
                      0xffffffffU) == 0x41c83b0e408f276dU);
    CHECK(random_bits(0x299f31d0a4093822U, Purpose{0x03707344U}, 0x85a308d3243f6a88U,
                      0x13198a2eU) == 0x94fdccebd16cfe09U);
}

TEST_CASE("numbers differ by seed, purpose, index and stream, and by nothing else", "[base]") {
    std::set<std::uint64_t> seen;
    for (const std::uint64_t seed : {1U, 2U})
        for (const Purpose purpose : {Purpose::data, Purpose::shuffle})
            for (std::uint64_t index = 0; index < 50; ++index)
                for (const std::uint32_t stream : {0U, 1U}) {
                    seen.insert(random_bits(seed, purpose, index, stream));
                    CHECK(random_bits(seed, purpose, index, stream) ==
                          random_bits(seed, purpose, index, stream));
                }
    CHECK(seen.size() == 2 * 2 * 50 * 2);
}

TEST_CASE("uniform numbers fill [0, 1) evenly", "[base]") {
    constexpr int kDraws = 20000;
    constexpr int kBins = 20;
    std::vector<int> bins(kBins);
    for (std::uint64_t i = 0; i < kDraws; ++i) {
        const double u = random_uniform(3, Purpose::weights, i);
        REQUIRE(u >= 0);
        REQUIRE(u < 1);
        ++bins[static_cast<std::size_t>(u * kBins)];
    }
    double chi_squared = 0;
    constexpr double kExpected = double{kDraws} / kBins;
    for (const int count : bins) chi_squared += std::pow(count - kExpected, 2) / kExpected;
    // Mean kBins - 1, standard deviation sqrt(2 (kBins - 1)): five of them away is no accident.
    CHECK(chi_squared < kBins - 1 + 5 * std::sqrt(2.0 * (kBins - 1)));
}

TEST_CASE("normal numbers have mean 0 and variance 1", "[base]") {
    constexpr int kDraws = 20000;
    double sum = 0;
    double squares = 0;
    for (std::uint64_t i = 0; i < kDraws; ++i) {
        const double x = random_normal(4, Purpose::weights, i);
        REQUIRE(std::isfinite(x));
        sum += x;
        squares += x * x;
    }
    CHECK(std::abs(sum / kDraws) < 5 / std::sqrt(double{kDraws}));
    CHECK(std::abs(squares / kDraws - 1) < 5 * std::sqrt(2.0 / kDraws));
}

TEST_CASE("a permutation holds every index once", "[base]") {
    for (const std::size_t count : {0U, 1U, 2U, 3U, 10U, 97U}) {
        auto order = random_permutation(7, Purpose::shuffle, count, 5);
        CHECK(order == random_permutation(7, Purpose::shuffle, count, 5));
        std::sort(order.begin(), order.end());
        for (std::size_t i = 0; i < count; ++i) CHECK(order[i] == i);
    }
    CHECK(random_permutation(7, Purpose::shuffle, 50, 1) !=
          random_permutation(7, Purpose::shuffle, 50, 2));
}

TEST_CASE("all permutations are equally likely", "[base]") {
    constexpr int kDraws = 6000;
    std::map<std::vector<std::size_t>, int> seen;
    for (std::uint32_t stream = 0; stream < kDraws; ++stream)
        ++seen[random_permutation(11, Purpose::shuffle, 3, stream)];
    REQUIRE(seen.size() == 6);
    constexpr double kExpected = kDraws / 6.0;
    for (const auto& [order, count] : seen)
        CHECK(std::abs(count - kExpected) < 5 * std::sqrt(kExpected));
}
