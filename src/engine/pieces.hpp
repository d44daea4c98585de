/// The pieces of a state that a sweep works on: copied together, worked on, copied back.
#pragma once

#include "wavetrain/engine/state.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

namespace wavetrain {

/// All pieces of one sweep. A piece has some positions of the state, ascending; it stands for fixed
/// values of the others. Positions from `before` on enter during the sweep.
class Pieces {
public:
    Pieces(std::span<const Position> positions, int before, int after, Lanes lanes)
        : lane_bits_(lanes == Lanes::amplitudes ? kLaneBits : 0) {
        std::vector<bool> inside(static_cast<std::size_t>(after), false);
        for (Position p : positions) inside[static_cast<std::size_t>(p.index)] = true;
        for (int p = 0; p < before; ++p)
            if (!inside[static_cast<std::size_t>(p)]) outside_.push_back(p);
        whole_ = outside_.empty();
        // Positions that are the same in the piece and in the state lie together in memory.
        std::size_t together = 0;
        while (together < positions.size() &&
               positions[together].index == static_cast<int>(together))
            ++together;
        const int low = static_cast<int>(together);
        run_ = std::size_t{1} << std::max(0, std::min(low, before) - lane_bits_);
        run_after_ = std::size_t{1} << std::max(0, low - lane_bits_);
        int there = 0;
        for (Position p : positions)
            if (p.index < before) ++there;
        runs_ = run_starts(positions.subspan(
            std::min(together, static_cast<std::size_t>(there)),
            static_cast<std::size_t>(there) - std::min(together, static_cast<std::size_t>(there))));
        runs_after_ = run_starts(positions.subspan(together));
        const int count = static_cast<int>(positions.size());
        groups_after_ = std::size_t{1} << std::max(0, count - lane_bits_);
    }

    /// One piece, the whole state: nothing to copy.
    bool whole() const { return whole_; }
    std::size_t count() const { return std::size_t{1} << outside_.size(); }
    /// Groups of a piece at the end of the sweep.
    std::size_t groups_after() const { return groups_after_; }

    /// The values of the other positions in a piece.
    std::uint64_t outer(std::size_t piece) const {
        std::uint64_t bits = 0;
        for (std::size_t i = 0; i < outside_.size(); ++i)
            if ((piece >> i) & 1) bits |= std::uint64_t{1} << outside_[i];
        return bits;
    }

    /// Copies a piece out of the state, as it is before the sweep, or after it where the sweep is
    /// undone (`back`).
    template <class Real>
    void gather(std::size_t piece, const Real* state, Real* out, bool back) const {
        const std::size_t start = outer(piece) >> lane_bits_;
        const std::size_t run = back ? run_after_ : run_;
        for (std::size_t begin : back ? runs_after_ : runs_) {
            std::memcpy(out, state + (start + begin) * kGroupReals,
                        run * kGroupReals * sizeof(Real));
            out += run * kGroupReals;
        }
    }

    /// Copies a piece back, as it is after the sweep, or before it (`back`).
    template <class Real>
    void scatter(std::size_t piece, const Real* in, Real* state, bool back) const {
        const std::size_t start = outer(piece) >> lane_bits_;
        const std::size_t run = back ? run_ : run_after_;
        for (std::size_t begin : back ? runs_ : runs_after_) {
            std::memcpy(state + (start + begin) * kGroupReals, in,
                        run * kGroupReals * sizeof(Real));
            in += run * kGroupReals;
        }
    }

private:
    /// Where the runs begin, in groups, for all values of the given positions.
    std::vector<std::size_t> run_starts(std::span<const Position> positions) const {
        std::vector<std::size_t> starts(std::size_t{1} << positions.size(), 0);
        for (std::size_t i = 0; i < starts.size(); ++i)
            for (std::size_t p = 0; p < positions.size(); ++p)
                if ((i >> p) & 1) starts[i] |= std::size_t{1} << (positions[p].index - lane_bits_);
        return starts;
    }

    int lane_bits_;
    std::vector<int> outside_;
    bool whole_ = true;
    std::size_t run_ = 1;       // groups that lie together, before the sweep
    std::size_t run_after_ = 1; // after it
    std::vector<std::size_t> runs_;
    std::vector<std::size_t> runs_after_;
    std::size_t groups_after_ = 1;
};

} // namespace wavetrain
