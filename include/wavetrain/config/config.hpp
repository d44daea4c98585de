/// The configuration of a run: TOML in, the options of every room out, and back.
#pragma once

#include "wavetrain/data/dataset.hpp"
#include "wavetrain/engine/options.hpp"
#include "wavetrain/gradient/options.hpp"
#include "wavetrain/model/options.hpp"
#include "wavetrain/train/options.hpp"

#include <string>
#include <vector>

namespace wavetrain {

/// All tables of a config file.
struct Config {
    ModelOptions model;
    DataOptions data;
    TrainOptions train;
    OptimizerOptions optimizer;
    EngineOptions engine;
    GradientOptions gradient;
    CommOptions comm;
    CheckpointOptions checkpoint;
    OutputOptions output;
    std::string file; ///< where it was read from, for messages; no key
};

/// Which tables config_text() writes.
enum class ConfigPart {
    everything,
    training, ///< without output, checkpoint, comm and engine.threads: what a weights file carries
};

/// Reads a config from a text that came from `file` (for places, and as the folder that relative
/// paths of the text are taken from; a name without a folder means the working one), then applies
/// `sets` ("train.epochs=3"; paths in them are relative to the working folder). Relative paths come
/// back joined to their folder. Circuit files named by layers are read into LayerSpec::source
/// unless it is given. `usage` errors with file:line:col: unknown key or table (with the nearest
/// known one), wrong type, value out of range, a combination that makes no sense.
Config parse_config(const std::string& text, const std::string& file,
                    const std::vector<std::string>& sets);

/// Reads a config file; an `environment` error if it cannot be read.
Config load_config(const std::string& file, const std::vector<std::string>& sets);

/// The resolved config as TOML: every key with its value, in the order of the documentation;
/// parse_config() reads it back to the same options. With `folder`, relative paths are written as
/// seen from there (the folder in which the text will lie); without, from the working folder.
std::string config_text(const Config& config, ConfigPart part, const std::string& folder = "");

/// The full names ("train.batch_size", "model.layers[1].units") of the keys whose values differ,
/// in the order of the documentation; with ConfigPart::training only those of that part.
std::vector<std::string> changed_keys(const Config& before, const Config& after, ConfigPart part);

} // namespace wavetrain
