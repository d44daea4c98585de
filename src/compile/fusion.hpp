/// Fusion: neighbouring gates become blocks of at most two qubits.
#pragma once

#include "wavetrain/compile/plan.hpp"

#include <span>
#include <vector>

namespace wavetrain {

/// The qubits and gates of a block to be.
struct FusedGroup {
    std::vector<Qubit> qubits;   ///< in order of first use
    std::vector<int> operations; ///< in order of time
    bool varying = false;
};

/// Groups the given operations (indices, in order of time) so that running the groups in order is
/// running the operations in order. Without fusion every operation is its own group. Operations
/// with angles that vary from sample to sample do not join those with shared symbols, so that
/// shared blocks keep shared matrices; operations on more than two qubits stay alone. Where gates
/// one by one cost less than their product (a CNOT moves amplitudes, a CZ changes signs), they
/// stay apart.
std::vector<FusedGroup> fuse(const Circuit& circuit, std::span<const int> operations,
                             const std::vector<bool>& varying, bool fusion);

/// What applying a group costs, in complex multiplications per amplitude.
double group_cost(const Circuit& circuit, const FusedGroup& group);

} // namespace wavetrain
