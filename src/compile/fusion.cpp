/// Fusion, greedily: a gate joins the open block on its qubits; a two-qubit gate swallows the open
/// one-qubit blocks before it; what would be cheaper apart is taken apart again.
#include "fusion.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace wavetrain {
namespace {

constexpr std::size_t kWidest = 2;
constexpr int kNone = -1;

/// A sweep that only moves amplitudes or changes signs, against complex multiplications.
constexpr double kMove = 0.4;
constexpr double kDiagonal = 1.0;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

enum class Dependence { constant, shared, varying };

Dependence dependence_of(const Operation& operation, const std::vector<bool>& varying) {
    Dependence result = Dependence::constant;
    for (const Angle& angle : operation.angles)
        for (int s : angle.symbols()) {
            if (varying[at(s)]) return Dependence::varying;
            result = Dependence::shared;
        }
    return result;
}

/// A CNOT or a SWAP: amplitudes change places.
bool is_move(const Operation& operation) {
    const std::string_view name = gate_info(operation.gate).name;
    return (name == "x" && operation.controls.size() <= 1) ||
           (name == "swap" && operation.controls.empty());
}

/// The cost of one operation, or of a product on the same qubits.
double operation_cost(const Circuit& circuit, const Operation& operation) {
    if (is_move(operation)) return kMove;
    if (is_diagonal(circuit, operation)) return kDiagonal;
    double share = 1.0;
    for (std::size_t i = 0; i < operation.controls.size(); ++i) share /= 2;
    return share * std::exp2(static_cast<double>(operation.targets.size()));
}

/// The state of one pass over the operations.
class Fuser {
public:
    Fuser(const Circuit& circuit, const std::vector<bool>& varying)
        : circuit_(circuit), varying_(varying),
          open_(static_cast<std::size_t>(circuit.qubits), kNone) {}

    void add(int index) {
        const bool diagonal = is_diagonal(circuit_, operation(index));
        if (diagonal && waits(index)) {
            waiting_.push_back(index);
            return;
        }
        if (!diagonal) release(touched_qubits(operation(index)));
        place(index);
    }

    /// The groups that still have operations.
    std::vector<FusedGroup> finish() {
        for (int index : std::exchange(waiting_, {})) place(index);
        std::vector<FusedGroup> result;
        for (Group& group : groups_) {
            if (group.operations.empty()) continue;
            split_or_keep(std::move(group), result);
        }
        return result;
    }

private:
    struct Group : FusedGroup {
        Dependence dependence = Dependence::constant;
    };

    /// A diagonal gate on two qubits that would find no blocks on both of them to take in. It
    /// commutes with the others of its kind (of a ring of CZs, say), which go first if they would.
    bool waits(int index) {
        const std::vector<Qubit> qubits = touched_qubits(operation(index));
        if (qubits.size() != 2 || dependence_of(operation(index), varying_) == Dependence::varying)
            return false;
        const int a = open(qubits[0]);
        const int b = open(qubits[1]);
        const auto alone = [&](int g) { return g != kNone && group(g).qubits.size() == 1; };
        return a != b && !(alone(a) && alone(b));
    }

    /// Places the waiting gates that touch one of these qubits.
    void release(const std::vector<Qubit>& qubits) {
        std::vector<int> rest;
        for (int index : std::exchange(waiting_, {})) {
            const std::vector<Qubit> own = touched_qubits(operation(index));
            if (std::find_first_of(own.begin(), own.end(), qubits.begin(), qubits.end()) ==
                own.end())
                rest.push_back(index);
            else
                place(index);
        }
        waiting_ = std::move(rest);
    }

    /// Into the open group on its qubits, or into one of its own.
    void place(int index) {
        const Operation& operation = circuit_.operations[at(index)];
        const std::vector<Qubit> qubits = touched_qubits(operation);
        const Dependence dependence = dependence_of(operation, varying_);
        // A Pauli rotation is no matrix, not even one whose word is empty.
        const bool rotation = gate_info(operation.gate).name == "pauli_rotation";
        if (qubits.empty() || qubits.size() > kWidest || rotation) {
            for (Qubit q : qubits) open(q) = kNone;
            groups_.push_back({{qubits, {index}, dependence == Dependence::varying}, dependence});
            return;
        }
        const int here = open(qubits.front());
        const bool together =
            here != kNone &&
            std::all_of(qubits.begin(), qubits.end(), [&](Qubit q) { return open(q) == here; });
        if (together && joins(group(here), dependence) &&
            !(qubits.size() == 1 && is_bare_move(group(here)))) {
            group(here).operations.push_back(index);
            note(group(here), dependence);
        } else {
            start(qubits, index, dependence);
        }
    }

    int& open(Qubit q) { return open_[at(q.index)]; }
    Group& group(int index) { return groups_[at(index)]; }
    const Operation& operation(int index) const { return circuit_.operations[at(index)]; }

    static bool joins(const Group& group, Dependence dependence) {
        return dependence == group.dependence || dependence == Dependence::constant ||
               group.dependence == Dependence::constant;
    }

    static void note(Group& group, Dependence dependence) {
        group.dependence = std::max(group.dependence, dependence);
        group.varying = group.dependence == Dependence::varying;
    }

    /// A CNOT or SWAP alone: a gate after it rather waits for the next block on its qubit.
    bool is_bare_move(const Group& group) const {
        return group.qubits.size() == 2 && group.operations.size() == 1 &&
               is_move(operation(group.operations.front()));
    }

    void start(const std::vector<Qubit>& qubits, int index, Dependence dependence) {
        Group fresh{{qubits, {}, dependence == Dependence::varying}, dependence};
        for (Qubit q : qubits) {
            const int before = open(q);
            open(q) = static_cast<int>(groups_.size());
            if (before == kNone || group(before).qubits.size() != 1 || qubits.size() < 2) continue;
            // A block on this qubit alone moves into the new one: nothing else touched the qubit
            // since. A matrix per sample is not worth it for a constant gate.
            const Dependence other = group(before).dependence;
            if (!joins(fresh, other) ||
                (other == Dependence::varying && dependence == Dependence::constant))
                continue;
            auto& moved = group(before).operations;
            fresh.operations.insert(fresh.operations.end(), moved.begin(), moved.end());
            moved.clear();
            note(fresh, other);
        }
        std::sort(fresh.operations.begin(), fresh.operations.end());
        fresh.operations.push_back(index);
        groups_.push_back(std::move(fresh));
    }

    /// Takes a block apart if its gates, those on one qubit in a row together, cost less.
    void split_or_keep(Group group, std::vector<FusedGroup>& result) const {
        if (group.qubits.size() < 2 || group.operations.size() < 2) {
            result.push_back(std::move(group));
            return;
        }
        std::vector<Group> parts;
        std::vector<int> open(group.qubits.size(), kNone);
        double cost = 0;
        for (int index : group.operations) {
            const std::vector<Qubit> qubits = touched_qubits(operation(index));
            const auto place = [&](Qubit q) {
                return at(static_cast<int>(std::find(group.qubits.begin(), group.qubits.end(), q) -
                                           group.qubits.begin()));
            };
            const Dependence dependence = dependence_of(operation(index), varying_);
            const int here = open[place(qubits.front())];
            if (qubits.size() == 1 && here != kNone) {
                parts[at(here)].operations.push_back(index);
                note(parts[at(here)], dependence);
                continue;
            }
            for (Qubit q : qubits)
                open[place(q)] = qubits.size() == 1 ? static_cast<int>(parts.size()) : kNone;
            parts.push_back({{qubits, {index}, dependence == Dependence::varying}, dependence});
        }
        for (const Group& part : parts) cost += group_cost(circuit_, part);
        if (cost < group_cost(circuit_, group))
            result.insert(result.end(), parts.begin(), parts.end());
        else
            result.push_back(std::move(group));
    }

    const Circuit& circuit_;
    const std::vector<bool>& varying_;
    std::vector<int> open_; // per qubit: the group that the next gate may still join
    std::vector<Group> groups_;
    std::vector<int> waiting_; // diagonal gates, in order of time
};

} // namespace

double group_cost(const Circuit& circuit, const FusedGroup& group) {
    double least = std::exp2(static_cast<double>(group.qubits.size()));
    bool diagonal = true;
    for (int index : group.operations)
        diagonal = diagonal && is_diagonal(circuit, circuit.operations[at(index)]);
    if (diagonal) least = std::min(least, kDiagonal);
    if (group.operations.size() == 1)
        least =
            std::min(least, operation_cost(circuit, circuit.operations[at(group.operations[0])]));
    return least;
}

std::vector<FusedGroup> fuse(const Circuit& circuit, std::span<const int> operations,
                             const std::vector<bool>& varying, bool fusion) {
    if (fusion) {
        Fuser fuser(circuit, varying);
        for (int index : operations) fuser.add(index);
        return fuser.finish();
    }
    std::vector<FusedGroup> groups;
    for (int index : operations) {
        const Operation& operation = circuit.operations[at(index)];
        groups.push_back({touched_qubits(operation),
                          {index},
                          dependence_of(operation, varying) == Dependence::varying});
    }
    return groups;
}

} // namespace wavetrain
