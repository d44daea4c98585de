/// The order in which qubits enter.
#include "late.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace wavetrain {
namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

bool is_constant(const Operation& operation) {
    return std::all_of(operation.angles.begin(), operation.angles.end(),
                       [](const Angle& angle) { return angle.is_constant(); });
}

bool is_cz(const Operation& operation) {
    return gate_info(operation.gate).name == "z" && operation.controls.size() == 1 &&
           operation.controls.front().value;
}

/// The cone's qubits, numbered; sets of them are bits.
class Search {
public:
    Search(const Circuit& circuit, std::span<const FusedGroup> groups, const Entries& entries,
           const std::vector<bool>& present)
        : numbers_(at(circuit.qubits), -1) {
        for (int q = 0; q < circuit.qubits; ++q)
            if (present[at(q)]) {
                numbers_[at(q)] = static_cast<int>(qubits_.size());
                qubits_.push_back(Qubit{q});
            }
        queues_.resize(qubits_.size());
        for (const FusedGroup& group : groups) {
            std::uint64_t own = 0;
            std::uint64_t needs = 0;
            for (Qubit q : group.qubits) {
                own |= bit(q);
                needs |= bit(q);
                // The signs of a CZ come with the later of its two qubits, before any other gate.
                for (Qubit partner : entries.qubits[at(q.index)].partners) needs |= bit(partner);
                queues_[at(numbers_[at(q.index)])].push_back(static_cast<int>(own_.size()));
            }
            own_.push_back(own);
            needs_.push_back(needs);
            costs_.push_back(group_cost(circuit, group));
        }
    }

    std::vector<ScheduleStep> best() {
        std::vector<ScheduleStep> best;
        double least = std::numeric_limits<double>::infinity();
        for (int first : starts()) {
            const double cost = run(first, least);
            if (cost < least) {
                least = cost;
                best = steps_;
            }
        }
        return best;
    }

private:
    std::uint64_t bit(Qubit q) const { return std::uint64_t{1} << numbers_[at(q.index)]; }

    /// Groups that can be first; a few of them where there are many.
    std::vector<int> starts() const {
        constexpr std::size_t kMost = 64;
        constexpr std::size_t kMuch = 16384; // groups times starts, so that large circuits compile
        const std::size_t most =
            std::clamp<std::size_t>(kMuch / std::max<std::size_t>(own_.size(), 1), 1, kMost);
        std::vector<int> found;
        for (std::size_t g = 0; g < own_.size() && found.size() < most; ++g) {
            bool front = true;
            for (std::size_t q = 0; q < queues_.size(); ++q)
                if ((own_[g] >> q) & 1) front = front && queues_[q].front() == static_cast<int>(g);
            if (front) found.push_back(static_cast<int>(g));
        }
        if (found.empty()) found.push_back(-1);
        return found;
    }

    bool is_ready(int group) const {
        for (std::uint64_t rest = own_[at(group)]; rest != 0; rest &= rest - 1) {
            const auto q = static_cast<std::size_t>(std::countr_zero(rest));
            if (next_[q] >= queues_[q].size() || queues_[q][next_[q]] != group) return false;
        }
        return true;
    }

    void enter(std::uint64_t missing) {
        // Those with little to do come first: they get the positions that vectors exchange within.
        while (missing != 0) {
            int chosen = std::countr_zero(missing);
            for (std::uint64_t rest = missing; rest != 0; rest &= rest - 1) {
                const int q = std::countr_zero(rest);
                if (queues_[at(q)].size() < queues_[at(chosen)].size()) chosen = q;
            }
            missing &= ~(std::uint64_t{1} << chosen);
            entered_ |= std::uint64_t{1} << chosen;
            steps_.push_back({-1, qubits_[at(chosen)]});
        }
    }

    void run_group(int group) {
        steps_.push_back({group, Qubit{-1}});
        cost_ += costs_[at(group)] * std::exp2(std::popcount(entered_));
        for (std::uint64_t rest = own_[at(group)]; rest != 0; rest &= rest - 1)
            ++next_[static_cast<std::size_t>(std::countr_zero(rest))];
    }

    /// Runs whatever needs no new qubit.
    void drain() {
        bool changed = true;
        while (changed) {
            changed = false;
            for (std::size_t q = 0; q < queues_.size(); ++q) {
                if (next_[q] >= queues_[q].size()) continue;
                const int group = queues_[q][next_[q]];
                if ((needs_[at(group)] & ~entered_) != 0 || !is_ready(group)) continue;
                run_group(group);
                changed = true;
            }
        }
    }

    /// The group that needs the fewest new qubits, neighbours of those that are there first.
    int choose() const {
        int chosen = -1;
        int fewest = std::numeric_limits<int>::max();
        bool touches = false;
        for (std::size_t q = 0; q < queues_.size(); ++q) {
            if (next_[q] >= queues_[q].size()) continue;
            const int group = queues_[q][next_[q]];
            if (!is_ready(group)) continue;
            const int missing = std::popcount(needs_[at(group)] & ~entered_);
            const bool near = (needs_[at(group)] & entered_) != 0;
            if (missing < fewest || (missing == fewest && near && !touches)) {
                chosen = group;
                fewest = missing;
                touches = near;
            }
        }
        return chosen;
    }

    double run(int first, double bound) {
        steps_.clear();
        entered_ = 0;
        cost_ = 0;
        next_.assign(queues_.size(), 0);
        int group = first;
        // Groups on no qubit (a global phase) come first.
        for (std::size_t g = 0; g < own_.size(); ++g)
            if (own_[g] == 0) run_group(static_cast<int>(g));
        while (group >= 0 && cost_ < bound) {
            enter(needs_[at(group)] & ~entered_);
            drain();
            group = choose();
        }
        const std::uint64_t all = qubits_.empty() ? 0 : ~std::uint64_t{0} >> (64 - qubits_.size());
        enter(all & ~entered_);
        return cost_;
    }

    std::vector<int> numbers_; // per qubit of the circuit
    std::vector<Qubit> qubits_;
    std::vector<std::vector<int>> queues_; // per qubit: its groups, in order
    std::vector<std::uint64_t> own_;
    std::vector<std::uint64_t> needs_;
    std::vector<double> costs_;
    // Of one run.
    std::vector<ScheduleStep> steps_;
    std::vector<std::size_t> next_;
    std::uint64_t entered_ = 0;
    double cost_ = 0;
};

} // namespace

Entries take_entries(const Circuit& circuit, std::span<const int> operations) {
    enum class Stage { product, signs, done };
    std::vector<Stage> stages(at(circuit.qubits), Stage::product);
    Entries entries;
    entries.qubits.resize(at(circuit.qubits));
    const auto toggle = [](std::vector<Qubit>& partners, Qubit q) {
        const auto found = std::find(partners.begin(), partners.end(), q);
        if (found == partners.end())
            partners.push_back(q);
        else
            partners.erase(found);
    };
    for (int index : operations) {
        const Operation& operation = circuit.operations[at(index)];
        const std::vector<Qubit> qubits = touched_qubits(operation);
        const auto stage = [&](Qubit q) -> Stage& { return stages[at(q.index)]; };
        const bool matrix = gate_info(operation.gate).name != "pauli_rotation";
        if (qubits.size() == 1 && matrix && operation.controls.empty() && is_constant(operation) &&
            stage(qubits[0]) == Stage::product) {
            entries.qubits[at(qubits[0].index)].product.push_back(index);
            continue;
        }
        if (is_cz(operation) && stage(qubits[0]) != Stage::done &&
            stage(qubits[1]) != Stage::done) {
            for (int i = 0; i < 2; ++i) {
                stage(qubits[at(i)]) = Stage::signs;
                toggle(entries.qubits[at(qubits[at(i)].index)].partners, qubits[at(1 - i)]);
            }
            entries.qubits[at(qubits[0].index)].signs.push_back(index);
            continue;
        }
        for (Qubit q : qubits) stage(q) = Stage::done;
        entries.rest.push_back(index);
    }
    return entries;
}

std::vector<ScheduleStep> schedule_late(const Circuit& circuit, std::span<const FusedGroup> groups,
                                        const Entries& entries, const std::vector<bool>& present) {
    return Search(circuit, groups, entries, present).best();
}

} // namespace wavetrain
