/// Units of work.
#include "wavetrain/model/units.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>

namespace wavetrain {
namespace {

constexpr std::size_t kEmpty = ~std::size_t{0};

std::uint64_t hash_of(std::span<const double> row) {
    std::uint64_t hash = 0;
    for (const double value : row) {
        hash = (hash ^ std::bit_cast<std::uint64_t>(value)) * 0x9E3779B97F4A7C15;
        hash ^= hash >> 32;
    }
    return hash;
}

bool same_bits(std::span<const double> a, std::span<const double> b) {
    return a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

} // namespace

Executions merged_executions(const Table& keys) {
    Executions result;
    result.of.resize(keys.rows);
    // Executions by the hash of their key, with open addressing.
    std::vector<std::size_t> slots(std::bit_ceil(2 * keys.rows + 1), kEmpty);
    const std::size_t mask = slots.size() - 1;
    for (std::size_t r = 0; r < keys.rows; ++r) {
        const auto key = keys.row(r);
        std::size_t slot = hash_of(key) & mask;
        while (slots[slot] != kEmpty && !same_bits(key, keys.row(result.samples[slots[slot]])))
            slot = (slot + 1) & mask;
        if (slots[slot] == kEmpty) {
            slots[slot] = result.samples.size();
            result.samples.push_back(r);
        }
        result.of[r] = slots[slot];
    }
    return result;
}

Executions separate_executions(std::size_t samples) {
    std::vector<std::size_t> all(samples);
    std::iota(all.begin(), all.end(), std::size_t{0});
    return {all, all};
}

std::vector<Range> micro_batches(std::size_t count, std::size_t micro_batch) {
    std::vector<Range> pieces;
    for (std::size_t first = 0; first < count; first += micro_batch)
        pieces.push_back({first, std::min(first + micro_batch, count)});
    return pieces;
}

std::vector<int> share_out(std::span<const double> costs, int ranks) {
    std::vector<int> owners(costs.size(), 0);
    if (ranks == 1) return owners;
    std::vector<std::size_t> order(costs.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return costs[a] > costs[b]; });
    using Load = std::pair<double, int>; // of a rank; the least comes first, then the lowest rank
    std::priority_queue<Load, std::vector<Load>, std::greater<>> loads;
    for (int rank = 0; rank < ranks; ++rank) loads.emplace(0.0, rank);
    for (const std::size_t unit : order) {
        const auto [load, rank] = loads.top();
        loads.pop();
        owners[unit] = rank;
        loads.emplace(load + costs[unit], rank);
    }
    return owners;
}

} // namespace wavetrain
