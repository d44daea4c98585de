/// The page of the gate table.
#include "wavetrain/circuit/gate_page.hpp"

#include "wavetrain/base/format.hpp"
#include "wavetrain/circuit/circuit.hpp"

#include <array>
#include <cmath>

namespace wavetrain {
namespace {

constexpr const char* kIntroduction = R"(# Conventions and gates

This page is printed by `wavetrain gates` from the gate table; a test compares the two.

## Bits, signs, phases

- Qubit 0 is the least significant bit of the index of an amplitude. A sample string is the index in
  binary: qubit 0 is its rightmost character.
- In the matrix of a gate on several qubits the first target is the most significant bit of row and
  column, as a tensor product is written. Controls come before targets.
- Rotations are RP(theta) = exp(-i theta P/2). Powers are P^t = exp(i pi t/2) exp(-i pi t P/2), whose
  eigenvalues are 1 and exp(i pi t): the phase is part of the gate and counts under controls.
- Expectations are exact; a gradient is the derivative in the input as written, pi and factors included.
- The number of shifts is that of the parameter-shift rule in that angle: 2 for one frequency, 4 for
  two (so for controlled rotations), in brackets with a control added where that differs.

## The table

)";

/// Angles at which matrices are shown.
constexpr std::array<double, 3> kShown{0.5, 0.25, 0.125};

std::size_t shifts(const GateInfo& row, std::size_t which, bool control) {
    Operation operation;
    operation.gate = gate_id(row.base);
    if (control || row.controls > 0) operation.controls.push_back({Qubit{0}, true});
    const auto found = frequencies(operation, static_cast<int>(which));
    if (found.empty()) return 0;
    return 2 * static_cast<std::size_t>(std::lround(found.back() / found.front()));
}

std::string shifts_text(const GateInfo& row) {
    std::string text;
    for (std::size_t a = 0; a < row.parameters.size(); ++a) {
        const std::size_t alone = shifts(row, a, false);
        const std::size_t controlled = shifts(row, a, true);
        text += format("{}{}", text.empty() ? "" : ", ", alone);
        if (controlled != alone) text += format(" ({})", controlled);
    }
    return text.empty() ? "–" : text;
}

std::string inverse_text(const GateInfo& row) {
    std::string text(row.inverse);
    if (row.inverse_angles.empty()) return text;
    std::string angles;
    for (const InverseAngle& angle : row.inverse_angles)
        angles += format("{}{}{}", angles.empty() ? "" : ", ", angle.sign < 0 ? "-" : "",
                         row.parameters[static_cast<std::size_t>(angle.source)]);
    return format("{}({})", text, angles);
}

std::string number_text(double value) {
    const double rounded = std::round(value * 1e4) / 1e4;
    return format("{}", rounded == 0.0 ? 0.0 : rounded);
}

std::string entry_text(Complex value) {
    const std::string re = number_text(value.real());
    const std::string im = number_text(value.imag());
    if (im == "0") return re;
    if (re == "0") return im + "i";
    return format("{}{}{}i", re, im.front() == '-' ? "" : "+", im);
}

std::string matrix_text(const GateInfo& row) {
    std::string angles;
    for (std::size_t a = 0; a < row.parameters.size(); ++a)
        angles += format("{}{} = {}", a == 0 ? " at " : ", ", row.parameters[a], kShown[a]);
    std::string text = format("`{}`{}:\n\n", row.name, angles);
    const Matrix m = row.matrix(std::span(kShown).first(row.parameters.size()));
    for (Eigen::Index r = 0; r < m.rows(); ++r) {
        text += "    ";
        for (Eigen::Index c = 0; c < m.cols(); ++c)
            text += format("{}{:>15}", c == 0 ? "" : " ", entry_text(m(r, c)));
        text += "\n";
    }
    return text + "\n";
}

} // namespace

std::string gate_page() {
    std::string page = kIntroduction;
    page += "| name | qubits | angles | meaning | inverse | shifts |\n"
            "| --- | --- | --- | --- | --- | --- |\n";
    for (const GateInfo& row : gate_table()) {
        const std::string qubits =
            row.targets < 0 ? "any"
                            : format("{}{}", row.controls > 0 ? format("{} + ", row.controls) : "",
                                     row.targets);
        page += format("| `{}` | {} | {} | {} | {} | {} |\n", row.name, qubits,
                       row.parameters.empty() ? "–" : format("{}", fmt::join(row.parameters, ", ")),
                       row.meaning, inverse_text(row), shifts_text(row));
    }
    page +=
        "\n\"1 + 2\" qubits: one control, two targets. Any gate takes further controls, positive "
        "or negative.\n\n## Matrices\n\nOf the targets, without the controls, to four digits.\n\n";
    for (const GateInfo& row : gate_table())
        if (row.matrix != nullptr && row.controls == 0) page += matrix_text(row);
    page.pop_back();
    return page;
}

} // namespace wavetrain
