/// A block as the kernels see it: where it acts in a piece of the state, and with what numbers.
#pragma once

#include "kernel_table.hpp"
#include "wavetrain/engine/bound.hpp"

#include <array>
#include <vector>

namespace wavetrain {

/// Which kernel runs a block.
enum class Op { matrix, diagonal, swap, rotation, enter, general };

/// A flip (of the plan) by a lane bit: in lanes with (lane & mask) == value.
struct LaneFlip {
    unsigned mask = 0;
    unsigned value = 0;
    unsigned flip = 0; ///< bits of the matrix index

    bool operator==(const LaneFlip&) const = default;
};

/// How a block's targets and controls lie among the lanes: blocks of a family with the same pattern
/// have the same numbers.
struct LanePattern {
    std::array<int, 2> lane_of_target{-1, -1}; ///< the lane bit of each target; -1: vertical
    unsigned control_mask = 0;                 ///< controls on lane bits
    unsigned control_value = 0;
    unsigned x_lane = 0; ///< of a Pauli word
    unsigned z_lane = 0;
    unsigned flip = 0; ///< bits of the column's index that flips change
    std::array<LaneFlip, 2> lane_flips{};

    bool operator==(const LanePattern&) const = default;
    /// Bits of the column's index that change in a lane.
    unsigned flip_of(std::size_t lane) const {
        unsigned bits = flip;
        for (const LaneFlip& own : lane_flips)
            if ((lane & own.mask) == own.value) bits ^= own.flip;
        return bits;
    }
    bool flips() const { return flip != 0 || lane_flips[0].flip != 0 || lane_flips[1].flip != 0; }
};

/// A block in a piece. Positions are those of the piece.
struct Instruction {
    Op op = Op::matrix;
    std::size_t block = 0; ///< of the cone
    int slot = -1;         ///< of its numbers
    int sums = -1;         ///< of its transition matrix, among those of its sweep
    BlockTask task;
    int row_a = 0; ///< swap: rows that change places
    int row_b = 0;
    GroupWord word;               ///< rotation; enter: z alone
    std::size_t control_mask = 0; ///< rotation: in groups
    std::size_t control_value = 0;
    int position = 0; ///< enter: of the new qubit
    std::uint64_t outer_signs =
        0;                    ///< enter: CZ partners outside the piece (positions of the state)
    std::vector<int> targets; ///< general: positions, the first most significant
    std::uint64_t general_mask = 0;
    std::uint64_t general_value = 0;
};

/// The numbers of blocks of one family and pattern. `sums` is what Simulator::transition() folds.
template <class Real> struct Slot {
    int family = 0;
    Op op = Op::matrix;
    LanePattern pattern;
    int target_count = 0;
    bool varying = false;
    bool identity = false;
    alignas(64) std::array<Real, kEntries * kGroupReals> forward{};
    alignas(64) std::array<Real, kEntries * kGroupReals> backward{};
    std::array<Real, 4> product{}; ///< enter
    std::vector<Matrix> matrices;  ///< general: one, or one per lane
    std::vector<double> sums;      ///< kEntries * kGroupReals, or general: kLanes matrices
};

/// An instruction and the pattern of its lanes.
struct MadeInstruction {
    Instruction instruction;
    LanePattern pattern;
};

/// The instructions for a block within a piece with the given positions (ascending) of a state of
/// `there` positions (after the block): one, or one for each combination of its flips' controls.
std::vector<MadeInstruction> make_instructions(const Block& block, int there,
                                               std::span<const Position> piece, Lanes lanes);

/// A cheaper kernel than that for any matrix, where the block's gates allow it.
Op choose_op(const Plan& plan, const Block& block, const Instruction& made,
             const LanePattern& pattern);

/// Writes a bound block's numbers into a slot: into all lanes, or (lane >= 0) into one.
template <class Real>
void fill_slot(Slot<Real>& slot, const Block& block, const BoundBlock& numbers, int lane);

/// Folds a slot's sums over lanes [first, last) into the transition matrix.
template <class Real>
Matrix fold_sums(const Slot<Real>& slot, const Block& block, std::size_t first, std::size_t last);

/// Length of a slot's sums.
std::size_t sums_length(Op op, int targets);

} // namespace wavetrain
