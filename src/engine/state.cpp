/// State vectors.
#include "wavetrain/engine/state.hpp"

#include <algorithm>

namespace wavetrain {
namespace {

std::size_t group_count(int positions, Lanes lanes) {
    const std::size_t amplitudes = state_amplitudes(positions);
    return lanes == Lanes::executions ? amplitudes : std::max<std::size_t>(1, amplitudes / kLanes);
}

} // namespace

template <class Real>
State<Real>::State(int positions, Lanes lanes)
    : positions_(positions), lanes_(lanes),
      values_(group_count(positions, lanes) * kGroupReals, Uninitialized{}) {
    reset(0);
}

template <class Real> std::size_t State<Real>::groups_of(int positions) const {
    return group_count(positions, lanes_);
}

template <class Real> void State<Real>::reset(int positions) {
    std::fill_n(values_.data(), groups_of(positions) * kGroupReals, Real{0});
    const std::size_t states = lanes_ == Lanes::executions ? kLanes : 1;
    std::fill_n(values_.data(), states, Real{1});
}

template <class Real> void State<Real>::copy_from(const State& other, int positions) {
    promise(lanes_ == other.lanes_ && positions <= positions_ && positions <= other.positions_,
            "states of different kinds");
    std::copy_n(other.values_.data(), groups_of(positions) * kGroupReals, values_.data());
}

template class State<float>;
template class State<double>;

} // namespace wavetrain
