/// From a bound cone to numbers: the state, expectations.
#pragma once

#include "wavetrain/engine/blocks.hpp"
#include "wavetrain/engine/simulator.hpp"

#include <functional>
#include <string_view>
#include <vector>

namespace wavetrain {

enum class Precision { single_precision, double_precision };

/// "single" or "double".
Precision precision_of(std::string_view name);
/// Bytes of one amplitude: 8 or 16.
std::uint64_t amplitude_bytes(Precision precision);

/// Is shown the state after every block of an eager plan, with its norm.
template <class Real>
using Observer = std::function<void(std::size_t block, double norm, const State<Real>& state)>;

/// Applies all blocks to |0...0>. An eager plan is checked after every gate: a `numeric` error
/// names the gate (its place and number) after which the norm is not 1 to rounding, or not a
/// number.
template <class Real>
void run(const BoundCone& bound, State<Real>& state, const Observer<Real>& observer = {});

/// The expectations of a cone's observables (in the order of Cone::observables) in its final state.
template <class Real> std::vector<double> expectations(const Cone& cone, const State<Real>& state);

/// How executions of a cone run: in lanes where they differ and the cone has at most 12 qubits; the
/// plan can say otherwise. It does not depend on how many there are, so that an execution gives the
/// same bits alone and among others.
Lanes lanes_for(const Plan& plan, const Cone& cone);

/// Runs the cone as bound and returns its expectations.
std::vector<double> evaluate(const BoundCone& bound, Precision precision, int threads = 1);

/// Expectations of the cone's observables for each execution (values of all symbols of the
/// circuit; those that do not vary are as bound).
std::vector<std::vector<double>> evaluate(const BoundCone& bound,
                                          std::span<const std::vector<double>> executions,
                                          Precision precision, int threads = 1);

/// The bytes that the plan's states take on one rank: `states` states of the largest cone for each
/// of `workers` threads, kLanes times as many where several executions may share the lanes.
std::uint64_t plan_bytes(const Plan& plan, Precision precision, int states, int workers);

/// Refuses a plan with a state of more bytes than an address can name: an `environment` error.
void check_addressable(const Plan& plan, Precision precision);
/// Refuses, before anything is allocated, what does not fit: an `environment` error naming the
/// bytes needed (one state of the plan; per rank; for all `node_ranks` ranks of this host) and
/// available.
void check_memory(const Plan& plan, Precision precision, double rank_bytes, double host_bytes,
                  int node_ranks);
/// The same for a process on its own: `states` states of the largest cone for each of `workers`.
void check_memory(const Plan& plan, Precision precision, int states, int workers);

} // namespace wavetrain
