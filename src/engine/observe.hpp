/// Observables of a final state.
#pragma once

#include "wavetrain/compile/plan.hpp"
#include "wavetrain/engine/state.hpp"

#include <span>
#include <vector>

namespace wavetrain {

/// For each state in the lanes (kLanes, or 1) the expectations of the cone's observables, row by
/// row. In single precision divided by the norm.
template <class Real>
std::vector<double> observe(const Cone& cone, const State<Real>& state, int threads);

/// bra <- for each state in the lanes the sum over j of upstream[row][j] O_j |ket>; rows that are
/// missing are 0. Constants are left out: they move no state.
template <class Real>
void apply_observables(const Cone& cone, const State<Real>& ket,
                       std::span<const std::vector<double>> upstream, State<Real>& bra,
                       int threads);

/// Per state in the lanes <bra| P |ket> over the indices with (index & mask) == value.
template <class Real>
std::vector<Complex> word_elements(const State<Real>& bra, const State<Real>& ket,
                                   const PauliWord& word, std::uint64_t mask, std::uint64_t value);

} // namespace wavetrain
