/// What `wavetrain simulate` prints.
#include "simulation_text.hpp"

#include "wavetrain/base/text.hpp"

#include <cstdio>

namespace wavetrain {
namespace {

/// The index in binary, qubit 0 rightmost.
std::string bits(std::uint64_t index, int qubits) {
    std::string text;
    for (int q = qubits - 1; q >= 0; --q) text += (index >> q) & 1 ? '1' : '0';
    return text;
}

/// Per input: one number or list per observable.
Json gradients_json(const Circuit& circuit, const SimulationResult& result) {
    Json json = Json::object();
    for (const Input& input : circuit.inputs) {
        Json rows = Json::array();
        for (const std::vector<double>& row : result.gradients) {
            const auto own = std::span(row).subspan(static_cast<std::size_t>(input.first),
                                                    static_cast<std::size_t>(input.size));
            rows.push(input.array ? Json(own) : Json(own[0]));
        }
        json.set(input.name, rows);
    }
    return json;
}

std::string operation_text(const Circuit& circuit, const Operation& operation) {
    std::string text = operation_name(operation);
    std::string separator = " ";
    for (const Control& control : operation.controls) {
        text += format("{}q{}", separator, control.qubit.index);
        separator = ", ";
    }
    for (Qubit q : operation.targets) {
        text += format("{}q{}", separator, q.index);
        separator = ", ";
    }
    for (const Angle& angle : operation.angles)
        text += format(" [{}]", angle.text(circuit.symbols));
    return place_prefix(operation.place) + text;
}

} // namespace

Json simulation_json(const Circuit& circuit, const SimulationRequest& request,
                     const SimulationResult& result, const std::string& precision) {
    Json json = Json::object().set("qubits", circuit.qubits).set("precision", precision);
    if (!request.observables.empty()) json.set("expectations", result.expectations);
    if (request.gradient) json.set("gradients", gradients_json(circuit, result));
    if (request.amplitudes) {
        Json rows = Json::array();
        for (Complex a : result.amplitudes)
            rows.push(Json(std::vector<double>{a.real(), a.imag()}));
        json.set("amplitudes", rows);
    }
    if (request.samples > 0) {
        Json counts = Json::object();
        for (const auto& [index, count] : result.samples)
            counts.set(bits(index, circuit.qubits), count);
        json.set("samples", counts);
    }
    return json;
}

std::string simulation_text(const Circuit& circuit, const SimulationRequest& request,
                            const SimulationResult& result) {
    std::string text = format("{} qubits, {} gates", circuit.qubits, circuit.operations.size());
    for (std::size_t j = 0; j < result.expectations.size(); ++j) {
        text += format("\n<{}> = {}", pauli_text(request.observables[j]),
                       shortest(result.expectations[j]));
        if (!request.gradient) continue;
        for (std::size_t s = 0; s < circuit.symbols.size(); ++s)
            text += format("\n  d/d {} = {}", circuit.symbols[s], shortest(result.gradients[j][s]));
    }
    for (std::size_t i = 0; i < result.amplitudes.size(); ++i)
        text += format("\n|{}>  {} {:+}i", bits(i, circuit.qubits),
                       shortest(result.amplitudes[i].real()), result.amplitudes[i].imag());
    for (const auto& [index, count] : result.samples)
        text += format("\n{}  {}", bits(index, circuit.qubits), count);
    return text;
}

void TraceText::operator()(std::size_t gate, double norm, const std::vector<double>& values) {
    const std::string name = operation_text(circuit_, circuit_.operations[gate]);
    if (keep_)
        lines_.push(Json::object().set("gate", name).set("norm", norm).set("expectations", values));
    else
        std::printf("%s\n", format("{}: norm {}, expectations {}", name, norm, values).c_str());
}

} // namespace wavetrain
