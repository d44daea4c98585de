/// Decompositions: into gates without controls or with one, by conjugation and phases.
#include "decompose.hpp"

#include <algorithm>
#include <numbers>
#include <string_view>

namespace wavetrain {
namespace {

constexpr double kPi = std::numbers::pi;

/// Collects the parts of one operation; `core` parts carry its controls.
class Parts {
public:
    explicit Parts(const Operation& whole) : whole_(whole) {}

    Parts& outer(std::string_view gate, std::vector<Qubit> targets,
                 std::vector<Angle> angles = {}) {
        return add(gate, std::move(targets), {}, std::move(angles));
    }
    Parts& cx(Qubit control, Qubit target) { return add("x", {target}, {{control, true}}, {}); }
    Parts& core(std::string_view gate, std::vector<Qubit> targets, std::vector<Angle> angles = {}) {
        return add(gate, std::move(targets), whole_.controls, std::move(angles));
    }
    /// exp(i angle) where all controls hold.
    Parts& phase(const Angle& angle) { return core("gphase", {}, {angle}); }

    std::vector<Operation> take() { return std::move(parts_); }

    Parts& add(std::string_view gate, std::vector<Qubit> targets, std::vector<Control> controls,
               std::vector<Angle> angles) {
        Operation part;
        part.gate = gate_id(gate);
        part.targets = std::move(targets);
        part.controls = std::move(controls);
        part.angles = std::move(angles);
        part.place = whole_.place;
        parts_.push_back(std::move(part));
        return *this;
    }

private:
    const Operation& whole_;
    std::vector<Operation> parts_;
};

Angle angle_of(const Operation& operation, std::size_t which) {
    return which < operation.angles.size() ? operation.angles[which] : Angle();
}

/// exp(-i theta P/2): turn every letter into Z, collect the parity, rotate, and back.
void rotate_word(Parts& parts, const std::vector<Qubit>& targets, std::string_view word,
                 const Angle& theta) {
    std::vector<Qubit> active;
    const auto turn = [&](bool back) {
        for (std::size_t i = 0; i < targets.size(); ++i) {
            if (word[i] == 'X') parts.outer("h", {targets[i]});
            if (word[i] == 'Y') parts.outer("rx", {targets[i]}, {back ? -kPi / 2 : kPi / 2});
        }
    };
    for (std::size_t i = 0; i < targets.size(); ++i)
        if (word[i] != 'I') active.push_back(targets[i]);
    if (active.empty()) {
        parts.phase(-0.5 * theta);
        return;
    }
    turn(false);
    for (std::size_t i = 0; i + 1 < active.size(); ++i) parts.cx(active[i], active[i + 1]);
    parts.core("rz", {active.back()}, {theta});
    for (std::size_t i = active.size() - 1; i-- > 0;) parts.cx(active[i], active[i + 1]);
    turn(true);
}

bool one_qubit_parts(Parts& parts, const Operation& op, std::string_view name) {
    const Qubit q = op.targets.empty() ? Qubit{} : op.targets[0];
    const Angle a = angle_of(op, 0);
    const Angle b = angle_of(op, 1);
    if (name == "id") return true;
    if (name == "y") return parts.outer("sdg", {q}).core("x", {q}).outer("s", {q}), true;
    if (name == "z") return parts.core("p", {q}, {kPi}), true;
    if (name == "s") return parts.core("p", {q}, {kPi / 2}), true;
    if (name == "sdg") return parts.core("p", {q}, {-kPi / 2}), true;
    if (name == "t") return parts.core("p", {q}, {kPi / 4}), true;
    if (name == "tdg") return parts.core("p", {q}, {-kPi / 4}), true;
    if (name == "zpow") return parts.core("p", {q}, {kPi * a}), true;
    if (name == "sx" || name == "sxdg")
        return parts.outer("h", {q})
                   .core("p", {q}, {name == "sx" ? kPi / 2 : -kPi / 2})
                   .outer("h", {q}),
               true;
    if (name == "xpow")
        return parts.outer("h", {q}).core("p", {q}, {kPi * a}).outer("h", {q}), true;
    if (name == "ypow")
        return parts.outer("sdg", {q})
                   .outer("h", {q})
                   .core("p", {q}, {kPi * a})
                   .outer("h", {q})
                   .outer("s", {q}),
               true;
    if (name == "h" || name == "hpow")
        return parts.outer("ry", {q}, {-kPi / 4})
                   .core("p", {q}, {name == "h" ? Angle(kPi) : kPi * a})
                   .outer("ry", {q}, {kPi / 4}),
               true;
    if (name == "rx") return parts.outer("h", {q}).core("rz", {q}, {a}).outer("h", {q}), true;
    if (name == "ry")
        return parts.outer("sdg", {q})
                   .outer("h", {q})
                   .core("rz", {q}, {a})
                   .outer("h", {q})
                   .outer("s", {q}),
               true;
    if (name == "u3")
        return parts.core("p", {q}, {angle_of(op, 2)}).core("ry", {q}, {a}).core("p", {q}, {b}),
               true;
    if (name == "r")
        return parts.outer("rz", {q}, {-b}).core("rx", {q}, {a}).outer("rz", {q}, {b}), true;
    if (name == "phasedx")
        return parts.outer("p", {q}, {-(kPi * a)})
                   .core("xpow", {q}, {b})
                   .outer("p", {q}, {kPi * a}),
               true;
    return false;
}

bool two_qubit_parts(Parts& parts, const Operation& op, std::string_view name) {
    if (op.targets.size() != 2) return false;
    const Qubit q = op.targets[0];
    const Qubit r = op.targets[1];
    const Angle a = angle_of(op, 0);
    const Angle b = angle_of(op, 1);
    const auto flip = [&](std::string_view gate, std::vector<Angle> angles) {
        // (a, b) -> b's flip where a is 1, between two CX: swaps and their powers.
        parts.cx(q, r);
        std::vector<Control> controls = op.controls;
        controls.push_back({r, true});
        parts.add(gate, {q}, std::move(controls), std::move(angles)).cx(q, r);
        return true;
    };
    if (name == "swap") return flip("x", {});
    if (name == "swappow") return flip("xpow", {a});
    if (name == "rxx") return rotate_word(parts, op.targets, "XX", a), true;
    if (name == "ryy") return rotate_word(parts, op.targets, "YY", a), true;
    if (name == "rzz") return rotate_word(parts, op.targets, "ZZ", a), true;
    if (name == "xxpow" || name == "yypow" || name == "zzpow") {
        parts.phase(kPi / 2 * a);
        const std::string word = name == "xxpow" ? "XX" : name == "yypow" ? "YY" : "ZZ";
        return rotate_word(parts, op.targets, word, kPi * a), true;
    }
    const auto exchange = [&](const Angle& angle) { // exp(-i angle (XX + YY)/2)
        parts.core("rxx", {q, r}, {angle}).core("ryy", {q, r}, {angle});
        return true;
    };
    if (name == "iswap") return exchange(-kPi / 2);
    if (name == "iswapdg") return exchange(kPi / 2);
    if (name == "iswappow") return exchange(-kPi / 2 * a);
    if (name == "fsim") {
        exchange(a);
        std::vector<Control> controls = op.controls;
        controls.push_back({q, true});
        return parts.add("p", {r}, std::move(controls), {-b}), true;
    }
    if (name == "phasediswap") {
        parts.outer("p", {q}, {kPi * a}).outer("p", {r}, {-(kPi * a)});
        exchange(-kPi / 2 * b);
        return parts.outer("p", {q}, {-(kPi * a)}).outer("p", {r}, {kPi * a}), true;
    }
    return false;
}

struct Native {
    std::string_view gate;
    std::size_t controls;
};

/// Gates of qelib1.inc as it was published, by base row and controls: programs read no more than
/// these. Without cu3, which was published with another phase of the control.
constexpr Native kVersion2[] = {
    {"id", 0}, {"x", 0},   {"y", 0},  {"z", 0},  {"h", 0},  {"s", 0}, {"sdg", 0},
    {"t", 0},  {"tdg", 0}, {"rx", 0}, {"ry", 0}, {"rz", 0}, {"p", 0}, {"u3", 0},
    {"x", 1},  {"y", 1},   {"z", 1},  {"h", 1},  {"rz", 1}, {"p", 1}, {"x", 2},
};

std::vector<Operation> expand(std::vector<Operation> parts) {
    std::vector<Operation> all;
    for (const Operation& part : parts) {
        std::vector<Operation> inner = decompose(part);
        all.insert(all.end(), inner.begin(), inner.end());
    }
    return all;
}

/// exp(i lambda) where all `qubits` are 1 (Barenco et al., Phys. Rev. A 52, 3457 (1995),
/// lemma 7.5).
void phase_of_all(Parts& parts, std::vector<Qubit> qubits, const Angle& lambda) {
    const auto controls_of = [](std::span<const Qubit> list) {
        std::vector<Control> controls;
        for (const Qubit& qubit : list) controls.push_back({qubit, true});
        return controls;
    };
    if (qubits.empty()) return; // a global phase
    if (qubits.size() <= 2) {
        const std::span<const Qubit> rest(qubits.begin(), qubits.end() - 1);
        parts.add("p", {qubits.back()}, controls_of(rest), {lambda});
        return;
    }
    const Qubit last = qubits.back();
    const Qubit middle = qubits[qubits.size() - 2];
    const std::span<const Qubit> others(qubits.begin(), qubits.end() - 2);
    parts.add("p", {last}, {{middle, true}}, {0.5 * lambda});
    parts.add("x", {middle}, controls_of(others), {});
    parts.add("p", {last}, {{middle, true}}, {-0.5 * lambda});
    parts.add("x", {middle}, controls_of(others), {});
    qubits.erase(qubits.end() - 2);
    phase_of_all(parts, std::move(qubits), 0.5 * lambda);
}

std::vector<Qubit> controls_and_targets(const Operation& operation) {
    std::vector<Qubit> qubits;
    for (const Control& control : operation.controls) qubits.push_back(control.qubit);
    qubits.insert(qubits.end(), operation.targets.begin(), operation.targets.end());
    return qubits;
}

/// Negative controls as X, positive control, X.
std::vector<Operation> without_negative(const Operation& operation) {
    Parts flips(operation);
    Operation positive = operation;
    for (Control& control : positive.controls)
        if (!control.value) {
            flips.outer("x", {control.qubit});
            control.value = true;
        }
    const std::vector<Operation> around = flips.take();
    std::vector<Operation> all = around;
    const std::vector<Operation> inner = decompose(positive);
    all.insert(all.end(), inner.begin(), inner.end());
    all.insert(all.end(), around.begin(), around.end());
    return inner.empty() ? inner : all;
}

} // namespace

std::vector<Operation> simpler(const Operation& operation) {
    const std::string_view name = gate_info(operation.gate).name;
    Parts parts(operation);
    if (name == "pauli_rotation")
        rotate_word(parts, operation.targets, operation.paulis, angle_of(operation, 0));
    else if (!one_qubit_parts(parts, operation, name))
        two_qubit_parts(parts, operation, name);
    return parts.take();
}

bool in_version_2(const Operation& operation) {
    const std::string_view name = gate_info(operation.gate).name;
    for (const Control& control : operation.controls)
        if (!control.value) return false;
    return std::any_of(std::begin(kVersion2), std::end(kVersion2), [&](const Native& native) {
        return native.gate == name && native.controls == operation.controls.size();
    });
}

std::vector<Operation> decompose(const Operation& operation) {
    if (in_version_2(operation)) return {operation};
    for (const Control& control : operation.controls)
        if (!control.value) return without_negative(operation);
    const std::string_view name = gate_info(operation.gate).name;
    Parts parts(operation);
    if (name == "gphase" || name == "p") {
        phase_of_all(parts, controls_and_targets(operation), operation.angles[0]);
        return expand(parts.take());
    }
    if (name == "x") {
        parts.outer("h", operation.targets);
        phase_of_all(parts, controls_and_targets(operation), kPi);
        return expand(parts.outer("h", operation.targets).take());
    }
    if (name == "rz") {
        // RZ(theta) is P(theta) with the phase -theta/2.
        std::vector<Qubit> qubits = controls_and_targets(operation);
        phase_of_all(parts, qubits, operation.angles[0]);
        qubits.pop_back();
        phase_of_all(parts, qubits, -0.5 * operation.angles[0]);
        return expand(parts.take());
    }
    return expand(simpler(operation));
}

} // namespace wavetrain
