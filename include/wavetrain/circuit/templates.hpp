/// Ready-made circuits, by name and options.
#pragma once

#include "wavetrain/base/option_value.hpp"
#include "wavetrain/circuit/circuit.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace wavetrain {

/// An option of a template.
struct TemplateOption {
    std::string_view name;
    OptionValue value; ///< the default; a value must have its type
    std::string_view meaning;
};

/// A row of the table of templates.
struct TemplateInfo {
    std::string_view name;
    std::string_view meaning;
    std::vector<TemplateOption> options;
    Circuit (*make)(const OptionMap& options); ///< all options filled in
};

/// All templates.
std::span<const TemplateInfo> template_table();

/// The circuit of a template; options that are not given take their defaults. `usage` errors with
/// `place`: unknown template or option (with the nearest known one), wrong type, value out of
/// range.
Circuit make_template(std::string_view name, const OptionMap& options, const Place& place = {});

/// The qubits that are left after pooling `qubits`: the last ceil(n/2).
std::vector<Qubit> pooling_sinks(std::span<const Qubit> qubits);

} // namespace wavetrain
