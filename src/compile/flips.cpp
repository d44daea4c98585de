/// A CNOT's pass over memory saved: the next block takes its rows in another order.
#include "flips.hpp"

#include <algorithm>
#include <bit>

namespace wavetrain {
namespace {

/// A block with flips runs in 2^flips parts.
constexpr std::size_t kMostFlips = 2;

std::uint64_t bit(Position p) { return std::uint64_t{1} << p.index; }

/// All positions that a block touches in any way.
std::uint64_t touched(const Block& block) {
    std::uint64_t mask = block.control_mask | block.word.x_mask | block.word.z_mask;
    for (Position p : block.targets) mask |= bit(p);
    for (const Flip& flip : block.flips) mask |= bit(flip.control);
    return mask;
}

const Operation& gate_of(const Plan& plan, const Block& block) {
    return plan.circuit.operations[static_cast<std::size_t>(block.operations.front())];
}

bool is_lone_cnot(const Plan& plan, const Block& block) {
    return block.kind == Block::Kind::matrix && block.operations.size() == 1 &&
           block.flips.empty() && std::popcount(block.control_mask) == 1 &&
           gate_info(gate_of(plan, block).gate).name == "x";
}

bool takes_flips(const Plan& plan, const Block& block) {
    return block.kind == Block::Kind::matrix && block.targets.size() == 2 &&
           block.operations.size() > 1 && block.flips.size() < kMostFlips &&
           !std::all_of(block.operations.begin(), block.operations.end(), [&](int index) {
               return is_diagonal(plan.circuit,
                                  plan.circuit.operations[static_cast<std::size_t>(index)]);
           });
}

/// The block that can take the CNOT at `index`: the next on its target, if nothing between touches
/// its control, which it must not have as a target.
Block* taker(const Plan& plan, std::vector<Block>& blocks, std::size_t index) {
    const Position target = blocks[index].targets.front();
    const std::uint64_t control = blocks[index].control_mask;
    for (std::size_t j = index + 1; j < blocks.size(); ++j) {
        Block& next = blocks[j];
        const std::uint64_t mask = touched(next);
        if ((mask & (bit(target) | control)) == 0) continue;
        const bool on_target =
            std::find(next.targets.begin(), next.targets.end(), target) != next.targets.end();
        return on_target && (mask & control) == 0 && takes_flips(plan, next) ? &next : nullptr;
    }
    return nullptr;
}

} // namespace

void fold_flips(const Plan& plan, Cone& cone) {
    std::vector<Block>& blocks = cone.blocks;
    // The last first: of two CNOTs on one target the later is nearer to the block.
    for (std::size_t i = blocks.size(); i-- > 0;) {
        if (!is_lone_cnot(plan, blocks[i])) continue;
        Block* next = taker(plan, blocks, i);
        if (!next) continue;
        const auto place =
            std::find(next->targets.begin(), next->targets.end(), blocks[i].targets.front());
        next->flips.push_back({static_cast<int>(place - next->targets.begin()),
                               Position{std::countr_zero(blocks[i].control_mask)},
                               blocks[i].control_value != 0, blocks[i].operations.front()});
        blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(i));
    }
}

} // namespace wavetrain
