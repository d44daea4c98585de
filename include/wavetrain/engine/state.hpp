/// A state vector, or several of them in the lanes of the vector registers.
#pragma once

#include "wavetrain/base/aligned.hpp"
#include "wavetrain/compile/plan.hpp"

#include <complex>
#include <cstddef>

namespace wavetrain {

/// Amplitudes in one group of the stored state: kLanes real parts, then kLanes imaginary parts. The
/// same for every SIMD target, so that a state means the same to all of them.
inline constexpr std::size_t kLanes = 8;
/// Positions that the lanes of a group hold.
inline constexpr int kLaneBits = 3;
/// Numbers in one group.
inline constexpr std::size_t kGroupReals = 2 * kLanes;

/// What the lanes of a group are.
enum class Lanes {
    amplitudes, ///< one state: the lowest positions are in the lanes
    executions  ///< kLanes states of different executions, one in each lane
};

/// Room for the amplitudes of `positions` positions. Real is float or double.
template <class Real> class State {
public:
    /// Only the first group has values, |0>: reset() before use. Throws std::bad_alloc.
    explicit State(int positions, Lanes lanes = Lanes::amplitudes);

    int positions() const { return positions_; }
    Lanes lanes() const { return lanes_; }
    /// Amplitudes of one state.
    std::size_t size() const { return state_amplitudes(positions_); }
    /// Groups of all positions.
    std::size_t groups() const { return groups_of(positions_); }
    /// Groups that the lowest `positions` positions take.
    std::size_t groups_of(int positions) const;
    Real* data() { return values_.data(); }
    const Real* data() const { return values_.data(); }

    /// An amplitude of the state in a lane.
    Complex amplitude(std::size_t index, std::size_t lane = 0) const {
        const Real* place = values_.data() + offset(index, lane);
        return {place[0], place[kLanes]};
    }
    void set_amplitude(std::size_t index, Complex value, std::size_t lane = 0) {
        Real* place = values_.data() + offset(index, lane);
        place[0] = static_cast<Real>(value.real());
        place[kLanes] = static_cast<Real>(value.imag());
    }
    /// |0...0> on the lowest `positions` positions; what lies above is not touched.
    void reset(int positions);
    /// The amplitudes of the lowest `positions` positions of another state of the same kind.
    void copy_from(const State& other, int positions);

private:
    std::size_t offset(std::size_t index, std::size_t lane) const {
        return lanes_ == Lanes::executions
                   ? index * kGroupReals + lane
                   : (index >> kLaneBits) * kGroupReals + (index & (kLanes - 1));
    }

    int positions_;
    Lanes lanes_;
    AlignedBuffer<Real> values_;
};

extern template class State<float>;
extern template class State<double>;

} // namespace wavetrain
