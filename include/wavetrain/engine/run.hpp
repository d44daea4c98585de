/// From a bound cone to numbers: the state, expectations.
#pragma once

#include "wavetrain/engine/kernels.hpp"

#include <string_view>
#include <vector>

namespace wavetrain {

enum class Precision { single_precision, double_precision };

/// "single" or "double".
Precision precision_of(std::string_view name);
/// Bytes of one amplitude: 8 or 16.
std::uint64_t amplitude_bytes(Precision precision);

/// Applies all blocks to |0...0>.
template <class Real> void run(const BoundCone& bound, State<Real>& state);

/// What expectations are multiplied by: in single precision 1/|psi|^2, since the norm drifts with
/// the rounding of matrices (by 5e-4 in 30,000 gates); 1 in double precision.
template <class Real> double normalization(const State<Real>& state);

/// The expectations of a cone's observables (in the order of Cone::observables) in its final state.
template <class Real> std::vector<double> expectations(const Cone& cone, const State<Real>& state);

/// Runs the cone and returns its expectations.
std::vector<double> evaluate(const BoundCone& bound, Precision precision);

/// The bytes that the plan's buffers take on one rank: `states` states of the largest cone for each
/// of `workers` threads.
std::uint64_t plan_bytes(const Plan& plan, Precision precision, int states, int workers);

/// Refuses, before anything is allocated, a plan that does not fit: an `environment` error naming
/// the bytes needed (one state; per rank; for all `node_ranks` ranks of this host) and available.
void check_memory(const Plan& plan, Precision precision, int states, int workers, int node_ranks);

} // namespace wavetrain
