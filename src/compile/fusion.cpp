/// Fusion, greedily: a gate joins the open block on its qubits; a two-qubit gate swallows the open
/// one-qubit blocks before it.
#include "fusion.hpp"

#include <algorithm>

namespace wavetrain {
namespace {

constexpr std::size_t kWidest = 2;
constexpr int kNone = -1;

bool varies(const Operation& operation, const std::vector<bool>& varying) {
    for (const Angle& angle : operation.angles)
        for (int s : angle.symbols())
            if (varying[static_cast<std::size_t>(s)]) return true;
    return false;
}

/// The state of one pass over the operations.
class Fuser {
public:
    Fuser(const Circuit& circuit, const std::vector<bool>& varying)
        : circuit_(circuit), varying_(varying),
          open_(static_cast<std::size_t>(circuit.qubits), kNone) {}

    void add(int index) {
        const Operation& operation = circuit_.operations[static_cast<std::size_t>(index)];
        const std::vector<Qubit> qubits = touched_qubits(operation);
        const bool varying = varies(operation, varying_);
        // A Pauli rotation is no matrix, not even one whose word is empty.
        const bool rotation = gate_info(operation.gate).name == "pauli_rotation";
        const bool fusable = !varying && !qubits.empty() && qubits.size() <= kWidest && !rotation;
        if (!fusable) {
            for (Qubit q : qubits) open(q) = kNone;
            groups_.push_back({qubits, {index}, varying});
            return;
        }
        const int here = open(qubits.front());
        const bool together =
            here != kNone &&
            std::all_of(qubits.begin(), qubits.end(), [&](Qubit q) { return open(q) == here; });
        if (together)
            group(here).operations.push_back(index);
        else
            start(qubits, index);
    }

    /// The groups that still have operations.
    std::vector<FusedGroup> finish() {
        std::erase_if(groups_, [](const FusedGroup& g) { return g.operations.empty(); });
        return std::move(groups_);
    }

private:
    int& open(Qubit q) { return open_[static_cast<std::size_t>(q.index)]; }
    FusedGroup& group(int index) { return groups_[static_cast<std::size_t>(index)]; }

    void start(const std::vector<Qubit>& qubits, int index) {
        FusedGroup fresh{qubits, {}, false};
        for (Qubit q : qubits) {
            const int before = open(q);
            // A block on this qubit alone moves into the new one: nothing else touched the qubit
            // since.
            if (before != kNone && group(before).qubits.size() == 1 && qubits.size() > 1) {
                auto& moved = group(before).operations;
                fresh.operations.insert(fresh.operations.end(), moved.begin(), moved.end());
                moved.clear();
            }
            open(q) = static_cast<int>(groups_.size());
        }
        std::sort(fresh.operations.begin(), fresh.operations.end());
        fresh.operations.push_back(index);
        groups_.push_back(std::move(fresh));
    }

    const Circuit& circuit_;
    const std::vector<bool>& varying_;
    std::vector<int> open_; // per qubit: the group that the next gate may still join
    std::vector<FusedGroup> groups_;
};

} // namespace

std::vector<FusedGroup> fuse(const Circuit& circuit, std::span<const int> operations,
                             const std::vector<bool>& varying, bool fusion) {
    if (fusion) {
        Fuser fuser(circuit, varying);
        for (int index : operations) fuser.add(index);
        return fuser.finish();
    }
    std::vector<FusedGroup> groups;
    for (int index : operations) {
        const Operation& operation = circuit.operations[static_cast<std::size_t>(index)];
        groups.push_back({touched_qubits(operation), {index}, varies(operation, varying)});
    }
    return groups;
}

} // namespace wavetrain
