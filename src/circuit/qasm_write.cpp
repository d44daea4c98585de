/// OpenQASM out: circuits as text of version 2 or 3.
#include "wavetrain/circuit/qasm.hpp"

#include "decompose.hpp"
#include "qasm_library.hpp"

#include "wavetrain/base/text.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <set>

namespace wavetrain {
namespace {

/// The most controls of a gate in version 2: each one more makes a definition three times longer.
constexpr std::size_t kMostControls = 8;

/// A number with a point or an exponent with a point before it, as version 2 asks.
std::string real_text(double value) {
    std::string text = shortest(value);
    const std::size_t exponent = text.find('e');
    if (text.find('.') == std::string::npos && exponent != std::string::npos)
        text.insert(exponent, ".0");
    return text;
}

std::string joined(const std::vector<std::string>& parts, std::string_view between) {
    std::string text;
    for (const std::string& part : parts) text += (text.empty() ? "" : std::string(between)) + part;
    return text;
}

/// Of a name: letters, digits, and every character beyond ASCII, as they are read.
bool may_name(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return std::isalnum(byte) || c == '_' || byte >= 0x80;
}

bool is_identifier(std::string_view name) {
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0]))) return false;
    return std::all_of(name.begin(), name.end(), may_name);
}

class Writer {
public:
    Writer(const Circuit& circuit, int version, std::span<const double> bound)
        : circuit_(circuit), version_(version), bound_(bound.begin(), bound.end()) {
        if (bound_.empty()) bound_.assign(circuit.symbols.size(), std::nan(""));
        promise(bound_.size() == circuit.symbols.size(), "a value for every symbol");
        for (const double value : bound_)
            if (std::isinf(value)) fail(Kind::usage, "a bound input is not a finite number");
    }

    std::string write() {
        check_bound();
        name_inputs();
        for (const Operation& operation : circuit_.operations) write_operation(operation);
        std::string text = version_ == 2 ? "OPENQASM 2.0;\ninclude \"qelib1.inc\";\n"
                                         : "OPENQASM 3.0;\ninclude \"stdgates.inc\";\n";
        text += input_lines_ + definitions_;
        if (circuit_.qubits > 0)
            text += version_ == 2 ? format("qreg {}[{}];\n", register_, circuit_.qubits)
                                  : format("qubit[{}] {};\n", circuit_.qubits, register_);
        return text + body_;
    }

private:
    void check_bound() const {
        if (version_ != 2 && version_ != 3)
            fail(Kind::usage, "OpenQASM {} is not known: versions 2 and 3 are", version_);
        if (version_ == 3) return;
        std::vector<std::string> open;
        for (const Input& input : circuit_.inputs)
            if (!is_bound(input)) open.push_back(format("'{}'", input.name));
        if (!open.empty())
            fail(Kind::usage, "OpenQASM 2 has no inputs: bind {}", joined(open, ", "));
    }

    bool is_bound(const Input& input) const {
        const auto first = bound_.begin() + input.first;
        return std::none_of(first, first + input.size, [](double v) { return std::isnan(v); });
    }

    /// What a name in the text may not be: a word, a built-in gate, a name already given.
    bool is_taken(const std::string& name) const {
        if (!is_identifier(name) || given_.contains(name) || name == "U" || name == "CX")
            return true;
        if (qasm::is_reserved(name, 2) || qasm::is_reserved(name, 3)) return true;
        return qasm::has_word("pi tau euler π τ ℇ sin cos tan exp ln log sqrt", name) ||
               qasm::library_with(name, 2) == "qelib1.inc" ||
               qasm::library_with(name, 3) == "stdgates.inc";
    }

    std::string free_name(std::string name) {
        for (char& c : name)
            if (!may_name(c)) c = '_';
        if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0]))) name = "_" + name;
        while (is_taken(name)) name += "_";
        given_.insert(name);
        return name;
    }

    void name_inputs() {
        symbols_.resize(circuit_.symbols.size());
        for (const Input& input : circuit_.inputs) {
            if (is_bound(input)) continue;
            const std::string name = free_name(input.name);
            if (name != input.name)
                input_lines_ += format("// input '{}' is called {} here\n", input.name, name);
            input_lines_ += input.array
                                ? format("input array[float[64], {}] {};\n", input.size, name)
                                : format("input float[64] {};\n", name);
            for (int i = 0; i < input.size; ++i)
                symbols_[static_cast<std::size_t>(input.first + i)] =
                    input.array ? format("{}[{}]", name, i) : name;
        }
        for (std::size_t s = 0; s < symbols_.size(); ++s)
            replacements_.push_back(std::isnan(bound_[s]) || !symbols_[s].empty()
                                        ? Angle::symbol(static_cast<int>(s))
                                        : Angle(bound_[s]));
        register_ = free_name("q");
    }

    std::string angle_text(const Angle& angle, std::span<const std::string> names) const {
        return angle.is_constant() ? real_text(angle.value({})) : angle.text(names);
    }

    void write_operation(const Operation& operation) {
        Operation bound = operation;
        for (Angle& angle : bound.angles) {
            angle = angle.substitute(replacements_);
            if (angle.is_constant() && !std::isfinite(angle.value({})))
                fail_at(operation.place, Kind::usage,
                        "an angle of gate '{}' is {} at the bound values",
                        operation_name(operation), angle.value({}));
        }
        std::vector<std::string> qubits;
        for (const Control& control : bound.controls)
            qubits.push_back(format("{}[{}]", register_, control.qubit.index));
        for (const Qubit& target : bound.targets)
            qubits.push_back(format("{}[{}]", register_, target.index));
        std::vector<std::string> angles;
        for (const Angle& angle : bound.angles) angles.push_back(angle_text(angle, symbols_));
        const std::string name = version_ == 2 ? version_2_name(bound) : version_3_name(bound);
        if (!name.empty()) body_ += call(name, angles, qubits);
    }

    static std::string call(const std::string& name, const std::vector<std::string>& angles,
                            const std::vector<std::string>& qubits) {
        std::string text = name;
        if (!angles.empty()) text += "(" + joined(angles, ", ") + ")";
        if (!qubits.empty()) text += " " + joined(qubits, ", ");
        return text + ";\n";
    }

    /// The gate's name in version 2, defined if it is not in qelib1.inc; empty for nothing to do.
    std::string version_2_name(const Operation& operation) {
        const GateInfo& row = gate_info(operation.gate);
        if (operation.matrix >= 0)
            fail_at(operation.place, Kind::usage,
                    "OpenQASM 2 has no matrices: gate '{}' cannot be written",
                    operation_name(operation));
        if (row.name == "gphase" && operation.controls.empty()) return "";
        if (in_version_2(operation)) {
            const std::string name = operation_name(operation);
            if (name == "p") return "u1";
            if (name == "cp") return "cu1";
            return name;
        }
        if (operation.controls.size() > kMostControls)
            fail_at(operation.place, Kind::usage,
                    "gate '{}' has {} controls: OpenQASM 2 is written with at most {}", row.name,
                    operation.controls.size(), kMostControls);
        return defined(operation, true);
    }

    std::string version_3_name(const Operation& operation) {
        const GateInfo& row = gate_info(operation.gate);
        std::string modifiers;
        int positive = 0;
        for (const Control& control : operation.controls) positive += control.value ? 1 : 0;
        const bool all_positive = positive == static_cast<int>(operation.controls.size());
        const bool standard = qasm::library_with(row.name, 3) == "stdgates.inc" && row.name != "u3";
        if (standard && all_positive && positive > 0) {
            const std::string name = operation_name(operation);
            if (qasm::library_with(name, 3) == "stdgates.inc") return name;
        }
        for (const Control& control : operation.controls)
            modifiers += control.value ? "ctrl @ " : "negctrl @ ";
        if (standard || row.name == "gphase") return modifiers + std::string(row.name);
        Operation plain = operation;
        plain.controls.clear();
        return modifiers +
               (operation.matrix >= 0 ? matrix_name(operation.matrix) : defined(plain, false));
    }

    std::string matrix_name(int index) {
        const auto known = matrices_.find(index);
        if (known != matrices_.end()) return known->second;
        const std::string name = free_name(format("matrix_{}", index));
        matrices_[index] = name;
        const Matrix& m = circuit_.matrices[static_cast<std::size_t>(index)];
        int qubits = 0;
        while ((Eigen::Index{1} << qubits) < m.rows()) ++qubits;
        std::vector<std::string> entries;
        for (Eigen::Index row = 0; row < m.rows(); ++row)
            for (Eigen::Index column = 0; column < m.cols(); ++column)
                entries.push_back(format("[{},{}]", shortest(m(row, column).real()),
                                         shortest(m(row, column).imag())));
        definitions_ +=
            format("pragma wavetrain unitary {} {} [{}]\n", name, qubits, joined(entries, ", "));
        return name;
    }

    /// Defines the gate (with its controls) once; returns its name.
    std::string defined(const Operation& operation, bool fully) {
        const GateInfo& row = gate_info(operation.gate);
        std::string key(row.name);
        if (!operation.paulis.empty()) key += "_" + operation.paulis;
        if (operation.controls.size() == 1) key = "c" + key;
        if (operation.controls.size() > 1) key = format("c{}{}", operation.controls.size(), key);
        std::string signs;
        for (const Control& control : operation.controls) signs += control.value ? '1' : '0';
        if (signs.find('0') != std::string::npos) key += "_" + signs;
        const auto known = defined_.find(key);
        if (known != defined_.end()) return known->second;
        define(operation, key, fully);
        return defined_.at(key);
    }

    void define(const Operation& operation, const std::string& key, bool fully) {
        Operation formal = operation;
        std::vector<std::string> qubits;
        int next = 0;
        for (Control& control : formal.controls) {
            qubits.push_back(format("c{}", next));
            control.qubit.index = next++;
        }
        for (Qubit& target : formal.targets) {
            qubits.push_back(format("q{}", next));
            target.index = next++;
        }
        std::vector<std::string> parameters;
        for (std::size_t i = 0; i < formal.angles.size(); ++i) {
            parameters.push_back(format("a{}", i));
            formal.angles[i] = Angle::symbol(static_cast<int>(i));
        }
        std::string body;
        for (const Operation& part : fully ? decompose(formal) : simpler(formal)) {
            std::vector<std::string> operands;
            for (const Control& control : part.controls)
                operands.push_back(qubits[static_cast<std::size_t>(control.qubit.index)]);
            for (const Qubit& target : part.targets)
                operands.push_back(qubits[static_cast<std::size_t>(target.index)]);
            std::vector<std::string> angles;
            for (const Angle& angle : part.angles) angles.push_back(angle_text(angle, parameters));
            body +=
                "  " + call(fully ? version_2_name(part) : version_3_name(part), angles, operands);
        }
        // After the parts: they may have been defined on the way.
        const std::string name = free_name(key);
        defined_[key] = name;
        definitions_ += "gate " + name;
        if (!parameters.empty()) definitions_ += "(" + joined(parameters, ", ") + ")";
        definitions_ += " " + joined(qubits, ", ") + " {\n" + body + "}\n";
    }

    const Circuit& circuit_;
    int version_;
    std::vector<double> bound_;
    std::vector<std::string> symbols_;
    std::vector<Angle> replacements_;
    std::set<std::string> given_;
    std::map<std::string, std::string> defined_;
    std::map<int, std::string> matrices_;
    std::string register_;
    std::string input_lines_;
    std::string definitions_;
    std::string body_;
};

} // namespace

std::string write_qasm(const Circuit& circuit, int version, std::span<const double> bound) {
    return Writer(circuit, version, bound).write();
}

} // namespace wavetrain
