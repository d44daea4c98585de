/// Shift groups: the parameter-shift gradient of one cone cut into units of work.
#include "wavetrain/gradient/gradient.hpp"

#include <algorithm>
#include <cmath>

namespace wavetrain {
namespace {

constexpr std::size_t kMostGroups = 16;

/// Shifted executions that the wanted angles of a block call for.
std::size_t shifts_of(const Plan& plan, const Block& block, const std::vector<bool>& wanted) {
    std::size_t count = 0;
    for (int index : block.operations) {
        const Operation& operation = plan.circuit.operations[static_cast<std::size_t>(index)];
        for (std::size_t a = 0; a < operation.angles.size(); ++a) {
            const std::vector<int> symbols = operation.angles[a].symbols();
            if (std::none_of(symbols.begin(), symbols.end(),
                             [&](int s) { return wanted[static_cast<std::size_t>(s)]; }))
                continue;
            count += shift_rule(frequencies(operation, static_cast<int>(a))).size();
        }
    }
    return count;
}

} // namespace

std::vector<BlockRange> shift_groups(const Plan& plan, const Cone& cone,
                                     const std::vector<bool>& wanted) {
    const std::size_t blocks = cone.blocks.size();
    std::vector<std::size_t> costs(blocks); // a shifted execution runs what follows its block
    std::size_t all = 0;
    for (std::size_t i = 0; i < blocks; ++i) {
        costs[i] = shifts_of(plan, cone.blocks[i], wanted) * (blocks - i);
        all += costs[i];
    }
    std::vector<BlockRange> groups;
    std::size_t share = 0;  // which of the equal shares of the whole cost the last group began in
    std::size_t before = 0; // cost of the blocks so far
    for (std::size_t i = 0; i < blocks; ++i) {
        if (costs[i] == 0) continue;
        const std::size_t begins = before * kMostGroups / all;
        if (groups.empty() || begins != share)
            groups.push_back({i, i + 1});
        else
            groups.back().last = i + 1;
        share = begins;
        before += costs[i];
    }
    return groups;
}

} // namespace wavetrain
