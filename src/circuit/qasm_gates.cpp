/// Expansion of gate definitions and modifiers into operations.
#include "qasm_gates.hpp"

#include <algorithm>
#include <cmath>

namespace wavetrain::qasm {
namespace {

/// A fixed gate as a power of another row: x = xpow(1), s = zpow(1/2).
struct Root {
    std::string_view gate;
    std::string_view power;
    double exponent;
};

constexpr Root kRoots[] = {
    {"x", "xpow", 1.0},
    {"y", "ypow", 1.0},
    {"z", "zpow", 1.0},
    {"h", "hpow", 1.0},
    {"s", "zpow", 0.5},
    {"sdg", "zpow", -0.5},
    {"t", "zpow", 0.25},
    {"tdg", "zpow", -0.25},
    {"sx", "xpow", 0.5},
    {"sxdg", "xpow", -0.5},
    {"swap", "swappow", 1.0},
    {"iswap", "iswappow", 1.0},
    {"iswapdg", "iswappow", -1.0},
};

/// Rows U(..., a, ...) with U^k = U(..., k a, ...): the first angle that scales and how many do.
struct Scaling {
    std::string_view gate;
    std::size_t first;
    std::size_t count;
};

constexpr Scaling kScalings[] = {
    {"rx", 0, 1},       {"ry", 0, 1},
    {"rz", 0, 1},       {"rxx", 0, 1},
    {"ryy", 0, 1},      {"rzz", 0, 1},
    {"p", 0, 1},        {"gphase", 0, 1},
    {"xpow", 0, 1},     {"ypow", 0, 1},
    {"zpow", 0, 1},     {"hpow", 0, 1},
    {"xxpow", 0, 1},    {"yypow", 0, 1},
    {"zzpow", 0, 1},    {"swappow", 0, 1},
    {"iswappow", 0, 1}, {"r", 0, 1},
    {"phasedx", 1, 1},  {"phasediswap", 1, 1},
    {"fsim", 0, 2},     {"pauli_rotation", 0, 1},
};

bool has_angle(const Operation& operation) { return !operation.angles.empty(); }

bool is_scalar(const Operation& operation) {
    return operation.targets.empty() && operation.controls.empty();
}

} // namespace

int control_count(std::span<const Modifier> modifiers) {
    int count = 0;
    for (const Modifier& modifier : modifiers)
        if (modifier.kind == Modifier::Kind::control ||
            modifier.kind == Modifier::Kind::negative_control)
            count += modifier.count;
    return count;
}

bool raise_operation(Operation& operation, const Angle& exponent) {
    const std::string_view name = gate_info(operation.gate).name;
    if (name == "id") return true;
    for (const Root& root : kRoots)
        if (root.gate == name) {
            operation.gate = gate_id(root.power);
            operation.angles = {root.exponent == 1.0 ? exponent : root.exponent * exponent};
            return true;
        }
    for (const Scaling& scaling : kScalings)
        if (scaling.gate == name) {
            for (std::size_t i = 0; i < scaling.count; ++i) {
                Angle& angle = operation.angles[scaling.first + i];
                angle = exponent * angle;
            }
            return true;
        }
    return false;
}

int Gates::add(GateDefinition definition, const Place& place) {
    for (const Call& call : definition.body) {
        const GateDefinition& inner = (*this)[call.gate];
        definition.depth = std::max(definition.depth, inner.depth + 1);
        double times = 1;
        for (const Modifier& modifier : call.modifiers)
            if (modifier.kind == Modifier::Kind::power && modifier.exponent.is_constant())
                times *= std::max(1.0, std::abs(modifier.exponent.value({})));
        // An angle that scales needs no repetition; run() counts what really happens.
        if (inner.kind != GateDefinition::Kind::body) times = 1;
        definition.work += inner.work * times;
    }
    if (definition.depth > kDeepestGates)
        fail_at(place, Kind::usage, "gate '{}' is nested too deeply: more than {} definitions",
                definition.name, kDeepestGates);
    definitions_.push_back(std::move(definition));
    return static_cast<int>(definitions_.size()) - 1;
}

void Gates::run(const Call& call) {
    place_ = call.place;
    const GateDefinition& gate = (*this)[call.gate];
    if (steps_ + gate.work > kMostOperations) count_step(gate.work);
    const std::size_t from = circuit_.operations.size();
    apply(call.gate, call.modifiers, call.angles, call.operands);
    for (std::size_t i = from; i < circuit_.operations.size(); ++i) {
        circuit_.operations[i].place = place_;
        check_operation(circuit_, circuit_.operations[i]);
    }
}

void Gates::count_step(double steps) {
    steps_ += steps;
    if (steps_ > kMostOperations)
        fail_at(place_, Kind::usage,
                "the circuit is too long: here it exceeds {:.0f} gates and calls of gates",
                kMostOperations);
}

void Gates::apply(int gate, std::span<const Modifier> modifiers, std::span<const Angle> angles,
                  std::span<const int> qubits) {
    const std::size_t from = circuit_.operations.size();
    auto used = static_cast<std::size_t>(control_count(modifiers));
    emit(gate, angles, qubits.subspan(used));
    for (std::size_t i = modifiers.size(); i-- > 0;) {
        const Modifier& modifier = modifiers[i];
        switch (modifier.kind) {
        case Modifier::Kind::inverse: invert(from); break;
        case Modifier::Kind::power: raise(from, modifier.exponent, (*this)[gate].name); break;
        case Modifier::Kind::control:
        case Modifier::Kind::negative_control:
            for (int k = 0; k < modifier.count; ++k)
                control(from, Qubit{qubits[--used]}, modifier.kind == Modifier::Kind::control);
        }
    }
}

void Gates::emit(int gate, std::span<const Angle> angles, std::span<const int> qubits) {
    count_step();
    const GateDefinition& definition = (*this)[gate];
    if (definition.kind == GateDefinition::Kind::body) return emit_body(definition, angles, qubits);
    if (definition.kind == GateDefinition::Kind::opaque)
        fail_at(place_, Kind::usage,
                "gate '{}' is opaque: it is declared without a definition and cannot be used",
                definition.name);
    Operation operation;
    operation.angles.assign(angles.begin(), angles.end());
    int controls = 0;
    if (definition.kind == GateDefinition::Kind::table) {
        const GateInfo& row = gate_info(definition.row);
        operation.gate = gate_id(row.base);
        controls = row.controls;
    } else if (definition.kind == GateDefinition::Kind::matrix) {
        operation.gate = gate_id("unitary");
        operation.matrix = definition.matrix;
    } else {
        operation.gate = gate_id("pauli_rotation");
        operation.paulis = definition.paulis;
    }
    for (const int qubit : qubits)
        if (controls-- > 0)
            operation.controls.push_back({Qubit{qubit}, true});
        else
            operation.targets.push_back(Qubit{qubit});
    circuit_.operations.push_back(std::move(operation));
}

void Gates::emit_body(const GateDefinition& gate, std::span<const Angle> angles,
                      std::span<const int> qubits) {
    for (const Call& call : gate.body) {
        std::vector<Angle> inner_angles;
        for (const Angle& angle : call.angles) inner_angles.push_back(insert(angle, angles));
        std::vector<Modifier> modifiers = call.modifiers;
        for (Modifier& modifier : modifiers) modifier.exponent = insert(modifier.exponent, angles);
        std::vector<int> operands;
        for (const int formal : call.operands)
            operands.push_back(qubits[static_cast<std::size_t>(formal)]);
        apply(call.gate, modifiers, inner_angles, operands);
    }
}

Angle Gates::insert(const Angle& angle, std::span<const Angle> replacements) const {
    if (angle.is_constant()) return angle;
    std::size_t largest = 1;
    for (const Angle& replacement : replacements) largest = std::max(largest, replacement.size());
    if (angle.size() * largest > kLargestAngle)
        fail_at(place_, Kind::usage,
                "an angle of this gate becomes too long: more than {} numbers and operators",
                kLargestAngle);
    return angle.substitute(replacements);
}

void Gates::control(std::size_t from, Qubit qubit, bool value) {
    for (std::size_t i = from; i < circuit_.operations.size(); ++i) {
        Operation& operation = circuit_.operations[i];
        if (operation.targets.empty() && value) {
            // A phase where a qubit is 1 is that qubit's phase gate.
            operation.gate = gate_id("p");
            operation.targets = {qubit};
        } else {
            operation.controls.insert(operation.controls.begin(), Control{qubit, value});
        }
    }
}

Operation Gates::inverse_of(const Operation& operation) {
    if (operation.matrix < 0) return inverse(circuit_, operation);
    const auto known = inverse_matrices_.find(operation.matrix);
    if (known != inverse_matrices_.end()) {
        Operation result = operation;
        result.matrix = known->second;
        return result;
    }
    const Operation result = inverse(circuit_, operation);
    inverse_matrices_[operation.matrix] = result.matrix;
    inverse_matrices_[result.matrix] = operation.matrix;
    return result;
}

void Gates::invert(std::size_t from) {
    const auto begin = circuit_.operations.begin() + static_cast<std::ptrdiff_t>(from);
    std::reverse(begin, circuit_.operations.end());
    for (std::size_t i = from; i < circuit_.operations.size(); ++i)
        circuit_.operations[i] = inverse_of(circuit_.operations[i]);
}

void Gates::raise(std::size_t from, const Angle& exponent, std::string_view name) {
    auto& operations = circuit_.operations;
    const auto begin = operations.begin() + static_cast<std::ptrdiff_t>(from);
    const bool constant = exponent.is_constant();
    const double k = constant ? exponent.value({}) : 0.5;
    if (!std::isfinite(k))
        fail_at(place_, Kind::usage, "the exponent of gate '{}' is not a finite number", name);
    // Global phases commute with everything: what is left must be a single operation.
    const auto rest = std::count_if(
        begin, operations.end(), [](const Operation& operation) { return !is_scalar(operation); });
    const bool whole = k == std::floor(k);
    const bool single = rest <= 1 && (!whole || std::all_of(begin, operations.end(), has_angle));
    if (single) {
        std::vector<Operation> raised(begin, operations.end());
        if (std::all_of(raised.begin(), raised.end(),
                        [&](Operation& one) { return raise_operation(one, exponent); })) {
            std::copy(raised.begin(), raised.end(), begin);
            return;
        }
    }
    if (!whole)
        fail_at(place_, Kind::usage,
                "pow @ with an exponent that is not a whole number is not supported for gate "
                "'{}': only for gates whose power is the same gate with a scaled angle "
                "(rotations, phases, xpow and the like, and gates that are such a power)",
                name);
    repeat(from, k);
}

void Gates::repeat(std::size_t from, double times) {
    auto& operations = circuit_.operations;
    if (times < 0) invert(from);
    const std::vector<Operation> once(operations.begin() + static_cast<std::ptrdiff_t>(from),
                                      operations.end());
    if (times == 0) operations.resize(from);
    if (once.empty()) return;
    const double more = std::abs(times) - 1;
    if (more > 0) count_step(more * static_cast<double>(once.size()));
    for (double i = 0; i < more; ++i) operations.insert(operations.end(), once.begin(), once.end());
}

} // namespace wavetrain::qasm
