/// From options to working parts: data, model, loss, ready to train or to evaluate.
#pragma once

#include "wavetrain/config/config.hpp"
#include "wavetrain/config/machine_settings.hpp"
#include "wavetrain/config/resume.hpp"
#include "wavetrain/train/loop.hpp"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace wavetrain {

/// Refuses what a config may say but this release does not offer, naming the key: a `usage` error.
void check_offered(const Config& config);

/// The [engine] table with command-line overrides ("engine.fusion=off"); a `usage` error for a key
/// of another table, or for what check_offered() refuses.
EngineOptions engine_options(const std::vector<std::string>& sets);
/// What the compiler takes of it.
CompileOptions compile_options(const EngineOptions& engine);

/// Collective. The piece size from engine.piece_amplitudes, or by the cache of rank 0's host; the
/// SIMD target from engine.simd, or the best that every rank has. What a checkpoint has `stored`
/// comes first; a warning if its target is missing. Makes this process use it.
MachineSettings settle_machine(const EngineOptions& engine, Comm& comm,
                               const MachineSettings& stored = {});

/// The circuits of a file by name: those of a config's quantum layers (a file ending in .toml), or
/// the one of an OpenQASM file.
std::vector<std::pair<std::string, Circuit>> circuits_of(const std::string& file);

/// Writes an OpenQASM file's circuit in another version, with the inputs in `bindings` bound.
void export_qasm(const std::string& file, int version, const std::vector<std::string>& bindings,
                 const std::string& out);

/// A model with its data. Samples are rows of the data set in file order.
struct Assembly {
    Config config;
    MachineSettings machine;
    int threads = 1;
    std::vector<std::string> columns; ///< of the data, in the order of the samples' features
    std::unique_ptr<Model> model;
    Loss loss{"mse"};
    Samples training;
    Samples validation;
};

/// Collective. Data, model and loss of a config; checks that all ranks read the same data and that
/// labels fit the loss.
Assembly assemble(const Config& config, Comm& comm, int threads,
                  const MachineSettings& stored = {});

/// Collective. Refuses training for which this host lacks the memory: an `environment` error.
void check_training_memory(const Assembly& assembly, Comm& comm);

/// The parameters to begin with: train.initial_weights, or from the seed.
std::vector<double> initial_parameters(const Assembly& assembly);

/// The config with its ready-made model written out as layers.
Config expanded(const Config& config);

/// The setup of a training run on an assembly (which must outlive it). A new run begins with
/// parameters from train.initial_weights or from the seed.
TrainSetup training_setup(const Assembly& assembly, const RunStart& start, bool show_progress);

/// A trained model with samples to evaluate.
struct TrainedModel {
    Config config;
    std::unique_ptr<Model> model;
    Loss loss{"mse"};
    Samples samples;
    bool labelled = false; ///< the loss can be computed
};

/// Collective. The model of a Wavetrain weights file with its parameters set, and samples: all rows
/// of `data_file`, or where that is empty the validation part of the weights' own data. `threads`
/// is the option of the command line.
TrainedModel load_trained(const std::string& weights, const std::string& data_file, Comm& comm,
                          int threads);

/// The model of a config for data with these feature columns.
std::unique_ptr<Model> build_model(const Config& config, const std::vector<std::string>& columns,
                                   const MachineSettings& machine = {});

/// The feature columns of a config's data, which is read or generated for them.
std::vector<std::string> data_columns(const Config& config);

/// Name and version of the libraries that the program was built with.
std::vector<std::pair<std::string, std::string>> library_versions();

/// What a weights file of this config carries.
WeightsInfo weights_info(const Config& config, const std::vector<std::string>& columns,
                         const MachineSettings& machine);

} // namespace wavetrain
