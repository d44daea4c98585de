/// What is alike in a cone is worked out once.
#include "runs.hpp"

#include "wavetrain/base/text.hpp"

#include <algorithm>
#include <map>

namespace wavetrain {
namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

const Operation& operation_of(const Plan& plan, int index) {
    return plan.circuit.operations[at(index)];
}

/// What decides a gate's matrix on its own targets.
std::string gate_key(const Plan& plan, const Operation& operation) {
    std::string key = format("|{},{},{}", operation.gate.row, operation.matrix, operation.paulis);
    for (const Angle& angle : operation.angles) key += ' ' + angle.text(plan.circuit.symbols);
    return key;
}

/// What decides a block's matrix: its gates and how they lie on its targets.
std::string family_key(const Plan& plan, const Cone& cone, const Block& block) {
    const auto place = [&](Qubit q) {
        for (std::size_t i = 0; i < block.targets.size(); ++i)
            if (cone.layout[at(block.targets[i].index)] == q) return static_cast<int>(i);
        return -1; // a control of the block
    };
    std::string key = format("{}:{}", static_cast<int>(block.kind), block.targets.size());
    for (int index : block.operations) {
        const Operation& operation = operation_of(plan, index);
        key += gate_key(plan, operation);
        for (Qubit q : operation.targets) key += format(" {}", place(q));
        for (const Control& control : operation.controls)
            key += format(" {}{}", control.value ? '+' : '-', place(control.qubit));
    }
    return key;
}

bool is_varying(const Plan& plan, const Operation& operation) {
    for (const Angle& angle : operation.angles)
        for (int s : angle.symbols())
            if (plan.varying[at(s)]) return true;
    return false;
}

bool same_place(const Operation& a, const Operation& b) {
    const auto same = [](const Control& c, const Control& d) {
        return c.qubit == d.qubit && c.value == d.value;
    };
    return a.targets == b.targets && std::equal(a.controls.begin(), a.controls.end(),
                                                b.controls.begin(), b.controls.end(), same);
}

bool meet(const Plan& plan, const GateRun& run, const std::vector<Qubit>& qubits) {
    const std::vector<Qubit> own = touched_qubits(operation_of(plan, run.operations.front()));
    return std::find_first_of(own.begin(), own.end(), qubits.begin(), qubits.end()) != own.end();
}

/// A block's gates in runs. A gate joins the last run that it does not commute past.
std::vector<GateRun> cut(const Plan& plan, const Block& block) {
    std::vector<GateRun> runs;
    for (int index : block.operations) {
        const Operation& operation = operation_of(plan, index);
        if (block.kind == Block::Kind::enter && !operation.controls.empty()) continue; // a CZ
        const std::vector<Qubit> qubits = touched_qubits(operation);
        const auto before = std::find_if(runs.rbegin(), runs.rend(), [&](const GateRun& run) {
            return meet(plan, run, qubits);
        });
        const bool varying = is_varying(plan, operation);
        if (before != runs.rend() && before->varying == varying &&
            same_place(operation_of(plan, before->operations.front()), operation))
            before->operations.push_back(index);
        else
            runs.push_back({{index}, varying});
    }
    return runs;
}

} // namespace

void find_alike(const Plan& plan, Cone& cone) {
    std::map<std::string, int> families;
    std::map<std::string, int> runs;
    for (Block& block : cone.blocks) {
        block.family =
            families.try_emplace(family_key(plan, cone, block), static_cast<int>(families.size()))
                .first->second;
        if (block.kind == Block::Kind::pauli_rotation) continue;
        for (GateRun& run : cut(plan, block)) {
            std::string key;
            for (int index : run.operations) key += gate_key(plan, operation_of(plan, index));
            const auto [found, fresh] = runs.try_emplace(key, static_cast<int>(runs.size()));
            block.runs.push_back({found->second, run.operations.front()});
            if (fresh) cone.runs.push_back(std::move(run));
        }
    }
    cone.families = static_cast<int>(families.size());
}

} // namespace wavetrain
