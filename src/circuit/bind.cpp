/// Binding inputs to values.
#include "wavetrain/circuit/bind.hpp"

#include "wavetrain/base/text.hpp"

#include <cmath>
#include <limits>

namespace wavetrain {
namespace {

double number(const std::string& text, const std::string& binding) {
    const auto value = parse_double(text);
    if (!value || !std::isfinite(*value))
        fail(Kind::usage, "--bind {}: '{}' is not a finite number", binding, trim(text));
    return *value;
}

const Input& input_named(const Circuit& circuit, const std::string& name,
                         const std::string& binding) {
    if (const Input* input = circuit.find_input(name)) return *input;
    std::vector<std::string> known;
    for (const Input& input : circuit.inputs) known.push_back(input.name);
    fail(Kind::usage, "--bind {}: the circuit has no input '{}'{}", binding, name,
         suggestion(name, known));
}

} // namespace

std::vector<double> bind_symbols(const Circuit& circuit, std::span<const std::string> bindings,
                                 bool all_needed) {
    std::vector<double> values(circuit.symbols.size(), std::numeric_limits<double>::quiet_NaN());
    for (const std::string& binding : bindings) {
        const std::size_t equals = binding.find('=');
        if (equals == std::string::npos)
            fail(Kind::usage, "--bind {}: expected NAME=VALUE", binding);
        const Input& input =
            input_named(circuit, std::string(trim(binding.substr(0, equals))), binding);
        const std::vector<std::string> texts = split(binding.substr(equals + 1), ',');
        if (texts.size() != static_cast<std::size_t>(input.size))
            fail(Kind::usage, "--bind {}: input '{}' takes {} number{}, not {}", binding,
                 input.name, input.size, input.size == 1 ? "" : "s", texts.size());
        for (std::size_t i = 0; i < texts.size(); ++i) {
            double& value = values[static_cast<std::size_t>(input.first) + i];
            if (!std::isnan(value))
                fail(Kind::usage, "--bind {}: input '{}' is bound twice", binding, input.name);
            value = number(texts[i], binding);
        }
    }
    for (const Input& input : circuit.inputs)
        if (all_needed && input.size > 0 &&
            std::isnan(values[static_cast<std::size_t>(input.first)]))
            fail(Kind::usage, "input '{}' has no value: say --bind {}={}", input.name, input.name,
                 input.array ? "0.1,0.2,..." : "0.1");
    std::vector<double> angles;
    for (std::size_t i = 0; all_needed && i < circuit.operations.size(); ++i)
        angle_values(circuit, i, values, angles);
    return values;
}

} // namespace wavetrain
