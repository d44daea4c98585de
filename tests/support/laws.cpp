/// Random circuits, and the engine run by hand.
#include "laws.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>

namespace wavetrain::test {
namespace {

/// `count` different qubits in random order.
std::vector<Qubit> draw_qubits(Dice& dice, int qubits, int count) {
    std::vector<Qubit> all;
    for (int q = 0; q < qubits; ++q) all.push_back(Qubit{q});
    for (int i = 0; i < count; ++i)
        std::swap(all[static_cast<std::size_t>(i)],
                  all[static_cast<std::size_t>(i + dice.below(qubits - i))]);
    all.resize(static_cast<std::size_t>(count));
    return all;
}

} // namespace

Circuit circuit_on(int qubits) {
    Circuit circuit;
    circuit.qubits = qubits;
    return circuit;
}

Matrix random_unitary(Dice& dice, int qubits) {
    const Eigen::Index side = Eigen::Index{1} << qubits;
    Matrix m(side, side);
    for (Eigen::Index r = 0; r < side; ++r)
        for (Eigen::Index c = 0; c < side; ++c)
            m(r, c) = Complex{dice.number(-1, 1), dice.number(-1, 1)};
    return Eigen::HouseholderQR<Matrix>(m).householderQ();
}

Angle random_angle(Dice& dice, const Circuit& circuit) {
    const int count = static_cast<int>(circuit.symbols.size());
    if (count == 0) return dice.number(-2, 2);
    const Angle a = Angle::symbol(dice.below(count));
    const Angle b = Angle::symbol(dice.below(count));
    switch (dice.below(6)) {
    case 0: return dice.number(-2, 2);
    case 1: return a;
    case 2: return dice.number(-1, 1) * a + dice.number(-1, 1);
    case 3: return 0.3 * a * b - dice.number(0, 1) * b;
    case 4: return Angle::apply(Angle::Op::sin, a) + 0.5 * b;
    default: return Angle::power(a, 2.0) / (2.0 + Angle::apply(Angle::Op::cos, b));
    }
}

bool add_row(Dice& dice, Circuit& circuit, const GateInfo& row, int controls) {
    const bool free = row.targets < 0;
    const int widest = row.name == "unitary" ? std::min(circuit.qubits, 6) : circuit.qubits;
    const int targets = free ? 1 + dice.below(widest) : row.targets;
    const int own = row.controls + targets;
    if (own > circuit.qubits) return false;
    const int extra = std::min(controls, circuit.qubits - own);
    const std::vector<Qubit> drawn = draw_qubits(dice, circuit.qubits, own + extra);
    Operation operation;
    operation.gate = gate_id(row.base);
    const auto first = static_cast<std::size_t>(row.controls);
    for (std::size_t i = 0; i < drawn.size(); ++i) {
        if (i < first)
            operation.controls.push_back({drawn[i], true});
        else if (i < static_cast<std::size_t>(own))
            operation.targets.push_back(drawn[i]);
        else
            operation.controls.push_back({drawn[i], dice.below(2) == 0});
    }
    for (std::size_t i = 0; i < row.parameters.size(); ++i)
        operation.angles.push_back(random_angle(dice, circuit));
    if (row.name == "unitary") {
        operation.matrix = static_cast<int>(circuit.matrices.size());
        circuit.matrices.push_back(random_unitary(dice, targets));
    } else if (free) {
        for (int i = 0; i < targets; ++i) operation.paulis += "XYZI"[dice.below(4)];
    }
    check_operation(circuit, operation);
    circuit.operations.push_back(std::move(operation));
    return true;
}

Circuit random_circuit(Dice& dice, int qubits) {
    Circuit circuit = circuit_on(qubits);
    for (const char* name : {"a", "b", "x"}) circuit.add_input(name);
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < 2 * gate_table().size(); ++i) rows.push_back(i / 2);
    for (std::size_t i = rows.size(); i-- > 1;)
        std::swap(rows[i], rows[static_cast<std::size_t>(dice.below(static_cast<int>(i) + 1))]);
    for (std::size_t i : rows) add_row(dice, circuit, gate_table()[i], dice.below(3));
    return circuit;
}

void add_frame(Dice& dice, Circuit& circuit) {
    for (int q = 0; q < circuit.qubits; ++q)
        circuit.add("u3", {q}, {dice.number(0.5, 2.5), dice.number(0, 3), dice.number(0, 3)});
    for (int q = 0; q + 1 < circuit.qubits; ++q) circuit.add("cx", {q, q + 1});
    for (int q = 0; q < circuit.qubits; ++q) circuit.add("ry", {q}, {dice.number(0.5, 2.5)});
}

PauliSum random_observable(Dice& dice, int qubits) {
    PauliSum sum;
    sum.terms.push_back({dice.number(-1, 1), {}});
    for (int t = 0; t < 3; ++t) {
        PauliTerm term{dice.number(-1, 1), {}};
        for (int q = 0; q < qubits; ++q)
            if (const int letter = dice.below(5); letter < 3)
                term.factors.push_back({Qubit{q}, "XYZ"[letter]});
        sum.terms.push_back(std::move(term));
    }
    return sum;
}

std::vector<double> random_values(Dice& dice, std::size_t count) {
    std::vector<double> values(count);
    for (double& v : values) v = dice.number(-1.5, 1.5);
    return values;
}

std::vector<CompileOptions> all_options() {
    std::vector<CompileOptions> all;
    for (const char* fusion : {"on", "off"})
        for (const char* cones : {"on", "off", "auto"})
            for (const char* late : {"on", "off"}) all.push_back({fusion, cones, false, late});
    // Lanes of executions; pieces so small that a few qubits need several of them.
    all.push_back({"auto", "auto", false, "auto", "on"});
    all.push_back({"off", "off", false, "off", "on"});
    all.push_back({"auto", "off", false, "on", "off", 1 << kLeastPiece});
    all.push_back({"auto", "off", false, "off", "off", 1 << kLeastPiece});
    all.push_back({"off", "off", false, "on", "on", 1 << kLeastPiece});
    all.push_back({"auto", "auto", true});
    return all;
}

std::string option_text(const CompileOptions& options) {
    if (options.eager) return "eager";
    return format("fusion {}, light cones {}, late qubits {}, lanes {}, pieces of {}",
                  options.fusion, options.light_cones, options.late_qubits, options.lanes,
                  options.piece_amplitudes);
}

std::vector<double> plan_expectations(const Plan& plan, std::span<const double> symbols,
                                      Precision precision) {
    std::vector<double> values(plan.observables.size(), std::numeric_limits<double>::quiet_NaN());
    for (const Cone& cone : plan.cones) {
        const auto own = evaluate(BoundCone(plan, cone, symbols), precision);
        promise(own.size() == cone.observables.size(), "one value per observable");
        for (std::size_t j = 0; j < own.size(); ++j)
            values[static_cast<std::size_t>(cone.observables[j])] = own[j];
    }
    return values;
}

ConeGradient plan_gradient(Method method, const Plan& plan,
                           const std::vector<std::vector<double>>& symbols,
                           const std::vector<std::vector<double>>& upstream,
                           const std::vector<bool>& wanted, Precision precision) {
    const std::size_t count = plan.circuit.symbols.size();
    ConeGradient total{std::vector<double>(count, 0.0),
                       std::vector(symbols.size(), std::vector<double>(count, 0.0))};
    // Symbols that vary are bound to something else on purpose.
    std::vector<double> shared = symbols.front();
    for (std::size_t s = 0; s < count; ++s)
        if (plan.varying[s]) shared[s] = 123.456;
    for (const Cone& cone : plan.cones) {
        const BoundCone bound(plan, cone, shared);
        GradientJob job{plan, cone, bound, symbols, {}, wanted};
        for (const auto& weights : upstream) {
            job.upstream.emplace_back();
            for (int j : cone.observables)
                job.upstream.back().push_back(weights[static_cast<std::size_t>(j)]);
        }
        const ConeGradient part = differentiate(method, job, precision);
        for (std::size_t s = 0; s < count; ++s) total.shared[s] += part.shared.at(s);
        for (std::size_t r = 0; r < symbols.size(); ++r)
            for (std::size_t s = 0; s < part.varying.at(r).size(); ++s)
                total.varying[r][s] += part.varying[r][s];
    }
    return total;
}

double tolerance(Precision precision, std::size_t gates, double scale) {
    const double epsilon = precision == Precision::single_precision
                               ? double{std::numeric_limits<float>::epsilon()}
                               : std::numeric_limits<double>::epsilon();
    return 4 * epsilon * (static_cast<double>(gates) + 10) * scale;
}

double scale_of(const PauliSum& observable) {
    double sum = 0;
    for (const PauliTerm& term : observable.terms) sum += std::abs(term.coefficient);
    return sum;
}

double value_of(const Circuit& circuit, std::string_view observable, std::vector<double> symbols,
                const CompileOptions& options, Precision precision) {
    const std::vector<bool> varying(circuit.symbols.size(), false);
    const Plan plan = compile(circuit, {parse_pauli_sum(observable)}, varying, options);
    return plan_expectations(plan, symbols, precision).front();
}

} // namespace wavetrain::test
