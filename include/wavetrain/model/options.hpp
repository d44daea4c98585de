/// The [model] table: a ready-made kind, or layers written out.
#pragma once

#include "wavetrain/base/error.hpp"
#include "wavetrain/base/option_value.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace wavetrain {

/// One [[model.layers]] table. Which keys belong to which type is checked when the model is built.
struct LayerSpec {
    std::string type; ///< "quantum" | "concatenate" | "dense"
    std::string name; ///< empty: made up from type and number

    std::string circuit; ///< quantum: a template's name
    std::string file;    ///< quantum: or an OpenQASM file
    std::string source;  ///< the text of `file`, once read (weights files carry it)
    OptionMap included;  ///< the texts of the files that `file` includes, by their path
    OptionMap options;
    /// quantum: circuit input = feature columns (one for a scalar; for an array one per element,
    /// or a single prefix that the columns prefix_0, prefix_1, ... share).
    std::map<std::string, std::vector<std::string>> data;
    std::vector<std::string> inputs; ///< names of the layers it takes; empty: see the type
    std::vector<std::string> observables;
    std::string initializer; ///< empty: the type's default
    bool trainable = true;

    std::int64_t units = 0; ///< dense
    std::string activation = "linear";

    Place place;
};

/// The [model] table.
struct ModelOptions {
    std::string kind; ///< "qcnn" | "qcnn_hybrid" | "layers"; empty: none given
    std::int64_t qubits = 8;
    std::int64_t filters = 1;
    std::string variant = "tutorial";
    std::vector<LayerSpec> layers; ///< for kind = "layers"
};

} // namespace wavetrain
