/// Sweeps, greedily: a sweep takes each block that fits into its piece and that no block left
/// behind must precede.
#include "sweeps.hpp"

#include <algorithm>
#include <bit>

namespace wavetrain {
namespace {

/// Positions of a piece beyond the lowest, at most: the others lie together in memory in runs.
constexpr int kScattered = 5;
/// These lie in the lanes of vectors: every piece has them.
constexpr int kLowest = 3;

std::uint64_t below(int positions) {
    return positions >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << positions) - 1;
}

std::uint64_t bit(Position p) { return std::uint64_t{1} << p.index; }

/// Positions whose amplitudes a block mixes or selects: they must lie in the piece.
std::uint64_t needed(const Block& block) {
    std::uint64_t mask = block.control_mask;
    for (Position p : block.targets) mask |= bit(p);
    for (const Flip& flip : block.flips) mask |= bit(flip.control);
    if (block.kind == Block::Kind::pauli_rotation) mask |= block.word.x_mask | block.word.z_mask;
    return mask;
}

/// Positions that tie a block to others: those needed, and the signs of an entry.
std::uint64_t tied(const Block& block) { return needed(block) | block.word.z_mask; }

class SweepMaker {
public:
    SweepMaker(Cone& cone, int piece)
        : cone_(cone), piece_(piece), left_(std::move(cone.blocks)), there_(cone.start) {
        cone_.blocks.clear();
        cone_.sweeps.clear();
    }

    void run() {
        while (!left_.empty()) {
            if (!small_state()) large_state();
        }
        // A cone without gates still has a state.
        if (cone_.sweeps.empty()) cone_.sweeps.push_back({0, 0, all_positions(there_)});
    }

private:
    void take(Block block) {
        if (block.kind == Block::Kind::enter) ++there_;
        block.positions = there_;
        cone_.blocks.push_back(std::move(block));
    }

    /// As long as the state is no larger than a piece, all blocks run on it as they come.
    bool small_state() {
        std::size_t count = 0;
        int after = there_;
        for (; count < left_.size(); ++count) {
            const int next = after + (left_[count].kind == Block::Kind::enter ? 1 : 0);
            if (next > piece_) break;
            after = next;
        }
        if (count == 0) return false;
        Sweep sweep{cone_.blocks.size(), 0, all_positions(after)};
        for (std::size_t i = 0; i < count; ++i) take(std::move(left_[i]));
        left_.erase(left_.begin(), left_.begin() + static_cast<std::ptrdiff_t>(count));
        sweep.last = cone_.blocks.size();
        cone_.sweeps.push_back(std::move(sweep));
        return true;
    }

    void large_state() {
        const int low = std::max(piece_ - kScattered, kLowest);
        std::uint64_t inside = below(std::min(low, there_));
        std::uint64_t blocked = 0;
        bool enters = true; // qubits enter in order
        Sweep sweep{cone_.blocks.size(), 0, {}};
        std::vector<Block> rest;
        for (Block& block : left_) {
            const std::uint64_t need = inside | needed(block);
            const bool in_order = block.kind != Block::Kind::enter || enters;
            if ((tied(block) & blocked) == 0 && in_order && std::popcount(need) <= piece_) {
                inside = need;
                take(std::move(block));
                continue;
            }
            blocked |= tied(block);
            if (block.kind == Block::Kind::enter) enters = false;
            rest.push_back(std::move(block));
        }
        left_ = std::move(rest);
        if (sweep.first == cone_.blocks.size()) { // the first block is wider than a piece
            take(std::move(left_.front()));
            left_.erase(left_.begin());
            inside = below(there_);
        }
        for (int p = 0; p < there_ && std::popcount(inside) < piece_; ++p)
            inside |= std::uint64_t{1} << p;
        sweep.last = cone_.blocks.size();
        for (int p = 0; p < there_; ++p)
            if ((inside >> p) & 1) sweep.positions.push_back(Position{p});
        cone_.sweeps.push_back(std::move(sweep));
    }

    Cone& cone_;
    int piece_;
    std::vector<Block> left_;
    int there_; // positions of the state now
};

} // namespace

void make_sweeps(Cone& cone, int piece) { SweepMaker(cone, piece).run(); }

} // namespace wavetrain
