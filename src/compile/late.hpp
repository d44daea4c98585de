/// Late qubits: a qubit that starts in a product state enters the state only when a block needs it.
#pragma once

#include "fusion.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace wavetrain {

/// What happens to a qubit before anything entangles it but constant CZs.
struct Entry {
    std::vector<int> product;    ///< constant one-qubit operations, in order of time
    std::vector<int> signs;      ///< CZs to other qubits that are still in this stage
    std::vector<Qubit> partners; ///< of those CZs that do not cancel
};

/// The operations of a cone, taken apart.
struct Entries {
    std::vector<Entry> qubits; ///< per qubit of the circuit
    std::vector<int> rest;     ///< operations that are no part of an entry
};

Entries take_entries(const Circuit& circuit, std::span<const int> operations);

/// A step of the schedule: a qubit enters, or a group of operations (its index) runs.
struct ScheduleStep {
    int group = -1;
    Qubit qubit{-1}; ///< where group < 0
};

/// An order that respects the groups' own wherever they share a qubit, in which qubits enter as
/// late as a greedy search can have it: the sum over groups of cost * 2^(qubits there) is the least
/// of those tried, one start for each group that can be first. `present`: the cone's qubits.
std::vector<ScheduleStep> schedule_late(const Circuit& circuit, std::span<const FusedGroup> groups,
                                        const Entries& entries, const std::vector<bool>& present);

} // namespace wavetrain
