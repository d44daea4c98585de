/// Weights files: Keras' layout for everybody, a /wavetrain group for the exact values.
#pragma once

#include "wavetrain/model/model.hpp"

#include <optional>
#include <string>
#include <vector>

namespace wavetrain {

/// What a weights file says beside the numbers.
struct WeightsInfo {
    std::string config;               ///< TOML: the training part of the resolved config
    std::vector<std::string> columns; ///< feature columns that the model was built for
    std::string simd;                 ///< SIMD target of the engine
    std::int64_t piece_amplitudes = 0;
};

/// Writes `parameters` of a model, atomically. The bytes follow from the arguments alone.
void save_weights(const std::string& path, const Model& model, std::span<const double> parameters,
                  const WeightsInfo& info);

/// Writes only Keras' part.
void export_keras(const std::string& path, const Model& model, std::span<const double> parameters);

/// The /wavetrain group without the numbers. `environment` errors: unreadable, cut, or no Wavetrain
/// weights; `usage`: a newer format version.
WeightsInfo read_weights_info(const std::string& path);

/// The parameters of a Wavetrain weights file for a model. `usage` errors where the file's layers
/// differ from the model's in name, type, parameter names or number; `environment` if the file is
/// damaged (the hash of the values does not fit).
std::vector<double> read_weights(const std::string& path, const Model& model);

/// The parameters of a file that Keras wrote, in either layout. Layers without weights do not
/// count; the others are taken in order (older layout), or by class and number (newer layout);
/// names of arrays are free, shapes are not.
std::vector<double> read_keras_weights(const std::string& path, const Model& model);

/// Whichever of the two it is.
std::vector<double> read_any_weights(const std::string& path, const Model& model);

} // namespace wavetrain
