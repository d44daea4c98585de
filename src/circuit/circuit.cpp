/// Circuits: building, checking, inverting.
#include "wavetrain/circuit/circuit.hpp"

#include "wavetrain/base/text.hpp"

#include <algorithm>
#include <cmath>

namespace wavetrain {
namespace {

constexpr double kUnitaryTolerance = 1e-9;
constexpr int kLargestMatrixQubits = 6;

GateId base_of(const GateInfo& row) { return gate_id(row.base); }

void check_name_free(const Circuit& circuit, const std::string& name) {
    if (circuit.find_input(name)) fail(Kind::usage, "input '{}' is declared twice", name);
}

void check_matrix(const Circuit& circuit, const Operation& operation) {
    const auto index = static_cast<std::size_t>(operation.matrix);
    promise(operation.matrix >= 0 && index < circuit.matrices.size(),
            "operation without its matrix");
    const Matrix& m = circuit.matrices[index];
    const int count = static_cast<int>(operation.targets.size());
    if (count < 1 || count > kLargestMatrixQubits)
        fail_at(operation.place, Kind::usage, "a unitary matrix acts on 1 to {} qubits, not {}",
                kLargestMatrixQubits, count);
    const Eigen::Index side = Eigen::Index{1} << count;
    if (m.rows() != side || m.cols() != side)
        fail_at(operation.place, Kind::usage,
                "a matrix on {} qubits has {} x {} entries, not {} x {}", count, side, side,
                m.rows(), m.cols());
    const double off = (m.adjoint() * m - Matrix::Identity(side, side)).cwiseAbs().maxCoeff();
    if (!(off <= kUnitaryTolerance))
        fail_at(operation.place, Kind::usage,
                "the matrix is not unitary: an entry of U†U is off by {:.3g}", off);
}

} // namespace

Angle Circuit::add_input(const std::string& name) {
    check_name_free(*this, name);
    const int first = static_cast<int>(symbols.size());
    inputs.push_back({name, first, 1, false});
    symbols.push_back(name);
    return Angle::symbol(first);
}

std::vector<Angle> Circuit::add_array(const std::string& name, int size) {
    check_name_free(*this, name);
    const int first = static_cast<int>(symbols.size());
    inputs.push_back({name, first, size, true});
    std::vector<Angle> elements;
    for (int i = 0; i < size; ++i) {
        symbols.push_back(format("{}[{}]", name, i));
        elements.push_back(Angle::symbol(first + i));
    }
    return elements;
}

const Input* Circuit::find_input(std::string_view name) const {
    for (const Input& input : inputs)
        if (input.name == name) return &input;
    return nullptr;
}

void Circuit::add(std::string_view gate, std::initializer_list<int> operands,
                  std::vector<Angle> angles) {
    std::vector<Qubit> list;
    for (int operand : operands) list.push_back(Qubit{operand});
    add(gate_id(gate), list, std::move(angles));
}

void Circuit::add(GateId gate, std::span<const Qubit> operands, std::vector<Angle> angles,
                  std::vector<Control> controls, const Place& place) {
    const GateInfo& row = gate_info(gate);
    const auto own = static_cast<std::size_t>(row.controls);
    if (row.targets >= 0 && operands.size() != own + static_cast<std::size_t>(row.targets))
        fail_at(place, Kind::usage, "gate '{}' takes {} qubits, not {}", row.name,
                row.controls + row.targets, operands.size());
    Operation operation{.gate = base_of(row),
                        .targets = {},
                        .controls = std::move(controls),
                        .angles = std::move(angles),
                        .matrix = -1,
                        .paulis = {},
                        .place = place};
    for (std::size_t i = 0; i < own; ++i) operation.controls.push_back({operands[i], true});
    operation.targets.assign(operands.begin() + static_cast<std::ptrdiff_t>(own), operands.end());
    check_operation(*this, operation);
    operations.push_back(std::move(operation));
}

void check_operation(const Circuit& circuit, const Operation& operation) {
    const GateInfo& row = gate_info(operation.gate);
    const std::string name = operation_name(operation);
    if (operation.angles.size() != row.parameters.size())
        fail_at(operation.place, Kind::usage, "gate '{}' takes {} angles, not {}", name,
                row.parameters.size(), operation.angles.size());
    std::vector<Qubit> qubits = touched_qubits(operation);
    for (Qubit q : qubits)
        if (q.index < 0 || q.index >= circuit.qubits)
            fail_at(operation.place, Kind::usage,
                    "gate '{}' acts on qubit {}, but the circuit has {}", name, q.index,
                    qubits_text(circuit.qubits));
    std::sort(qubits.begin(), qubits.end());
    const auto twice = std::adjacent_find(qubits.begin(), qubits.end());
    if (twice != qubits.end())
        fail_at(operation.place, Kind::usage, "gate '{}' acts on qubit {} twice", name,
                twice->index);
    for (const Angle& angle : operation.angles) {
        if (angle.is_constant() && !std::isfinite(angle.value({})))
            fail_at(operation.place, Kind::usage, "an angle of gate '{}' is not a finite number",
                    name);
        for (int s : angle.symbols())
            promise(static_cast<std::size_t>(s) < circuit.symbols.size(),
                    "angle of a foreign symbol");
    }
    if (row.name == "unitary") check_matrix(circuit, operation);
    if (row.name == "pauli_rotation") {
        if (operation.paulis.size() != operation.targets.size())
            fail_at(operation.place, Kind::usage, "Pauli word '{}' acts on {} qubits, not {}",
                    operation.paulis, operation.paulis.size(), operation.targets.size());
        if (operation.paulis.find_first_not_of("IXYZ") != std::string::npos)
            fail_at(operation.place, Kind::usage, "'{}' is no Pauli word (letters I, X, Y, Z)",
                    operation.paulis);
    }
}

void check_circuit(const Circuit& circuit) {
    for (const Operation& operation : circuit.operations) check_operation(circuit, operation);
}

Operation inverse(Circuit& circuit, const Operation& operation) {
    const GateInfo& row = gate_info(operation.gate);
    Operation result = operation;
    if (operation.matrix >= 0) {
        const Matrix adjoint =
            circuit.matrices[static_cast<std::size_t>(operation.matrix)].adjoint();
        result.matrix = static_cast<int>(circuit.matrices.size());
        circuit.matrices.push_back(adjoint);
        return result;
    }
    result.gate = gate_id(row.inverse);
    for (std::size_t i = 0; i < row.inverse_angles.size(); ++i) {
        const InverseAngle& rule = row.inverse_angles[i];
        const Angle& source = operation.angles[static_cast<std::size_t>(rule.source)];
        result.angles[i] = rule.sign < 0 ? -source : source;
    }
    return result;
}

Matrix target_matrix(const Circuit& circuit, const Operation& operation,
                     std::span<const double> angles) {
    if (operation.matrix >= 0) return circuit.matrices[static_cast<std::size_t>(operation.matrix)];
    const GateInfo& row = gate_info(operation.gate);
    promise(row.matrix != nullptr, "a gate without a matrix");
    return row.matrix(angles);
}

Matrix target_derivative(const Operation& operation, std::span<const double> angles, int which) {
    const GateInfo& row = gate_info(operation.gate);
    promise(row.derivative != nullptr, "a gate without a derivative");
    return row.derivative(angles, which);
}

std::vector<Qubit> touched_qubits(const Operation& operation) {
    std::vector<Qubit> qubits = operation.targets;
    for (const Control& control : operation.controls) qubits.push_back(control.qubit);
    return qubits;
}

bool acts_diagonally(const Circuit& circuit, const Operation& operation, Qubit qubit) {
    const auto target = std::find(operation.targets.begin(), operation.targets.end(), qubit);
    if (target == operation.targets.end()) return true; // a control
    if (operation.matrix >= 0)
        return circuit.matrices[static_cast<std::size_t>(operation.matrix)].isDiagonal(0.0);
    if (!operation.paulis.empty()) {
        const auto index = static_cast<std::size_t>(target - operation.targets.begin());
        return operation.paulis[index] == 'Z' || operation.paulis[index] == 'I';
    }
    return gate_info(operation.gate).diagonal;
}

bool is_diagonal(const Circuit& circuit, const Operation& operation) {
    const std::vector<Qubit> touched = touched_qubits(operation);
    return std::all_of(touched.begin(), touched.end(),
                       [&](Qubit q) { return acts_diagonally(circuit, operation, q); });
}

std::string operation_name(const Operation& operation) {
    const GateInfo& base = gate_info(operation.gate);
    int positive = 0;
    for (const Control& control : operation.controls) positive += control.value ? 1 : 0;
    const int negative = static_cast<int>(operation.controls.size()) - positive;
    // The row with the most built-in controls that are there.
    const GateInfo* best = &base;
    for (const GateInfo& row : gate_table())
        if (row.base == base.name && row.controls <= positive && row.controls > best->controls)
            best = &row;
    std::string name(best->name);
    for (int i = 0; i < positive - best->controls; ++i) name = "ctrl @ " + name;
    for (int i = 0; i < negative; ++i) name = "negctrl @ " + name;
    return name;
}

std::vector<double> frequencies(const Operation& operation, int which) {
    std::vector<double> values = gate_info(operation.gate).spectra[static_cast<std::size_t>(which)];
    if (!operation.controls.empty()) values.push_back(0.0);
    std::vector<double> found;
    for (double a : values)
        for (double b : values)
            if (a > b) found.push_back(a - b);
    std::sort(found.begin(), found.end());
    // Equal up to rounding of the table's own constants.
    const auto same = [](double a, double b) { return std::abs(a - b) <= 1e-12 * std::abs(b); };
    found.erase(std::unique(found.begin(), found.end(), same), found.end());
    return found;
}

void angle_values(const Circuit& circuit, std::size_t index, std::span<const double> symbols,
                  std::vector<double>& values) {
    const Operation& operation = circuit.operations[index];
    values.clear();
    for (const Angle& angle : operation.angles) {
        values.push_back(angle.value(symbols));
        if (!std::isfinite(values.back()))
            fail_at(operation.place, Kind::numeric,
                    "angle '{}' of gate {} ('{}') is {} at the given values",
                    angle.text(circuit.symbols), index + 1, operation_name(operation),
                    values.back());
    }
}

std::string qubits_text(int qubits) {
    if (qubits == 0) return "no qubits";
    return qubits == 1 ? "1 qubit (0)" : format("{} qubits (0 ... {})", qubits, qubits - 1);
}

} // namespace wavetrain
