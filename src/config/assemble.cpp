/// Assembling: options in, working parts out.
#include "wavetrain/config/assemble.hpp"

#include "wavetrain/base/hash.hpp"
#include "wavetrain/base/log.hpp"
#include "wavetrain/base/machine.hpp"
#include "wavetrain/base/text.hpp"
#include "wavetrain/circuit/bind.hpp"
#include "wavetrain/circuit/qasm.hpp"
#include "wavetrain/comm/fault.hpp"
#include "wavetrain/comm/launch.hpp"
#include "wavetrain/comm/together.hpp"
#include "wavetrain/engine/simd.hpp"
#include "wavetrain/io/atomic_file.hpp"
#include "wavetrain/io/h5.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>

namespace wavetrain {
namespace {

/// Pieces of states are at least and at most so large, as powers of two.
constexpr int kSmallestPiece = 10;
constexpr int kLargestPiece = 16;

/// Amplitudes of which a ket and a bra fill a cache.
std::int64_t piece_for(std::uint64_t cache_bytes, Precision precision) {
    const std::uint64_t amplitudes = cache_bytes / (2 * amplitude_bytes(precision));
    const int power =
        std::clamp(static_cast<int>(std::bit_width(amplitudes)) - 1, kSmallestPiece, kLargestPiece);
    return std::int64_t{1} << power;
}

QuantumSettings quantum_settings(const Config& config, const MachineSettings& machine) {
    QuantumSettings settings;
    settings.precision = precision_of(config.engine.precision);
    settings.method = method_of(config.gradient.method);
    settings.compile = compile_options(config.engine);
    settings.deduplicate = config.engine.deduplicate != "off";
    settings.compile.piece_amplitudes = machine.piece_amplitudes;
    return settings;
}

/// Runs `body`; a `usage` error that names no place gets the file's.
template <class Body> void in_file(const std::string& file, Body&& body) {
    try {
        body();
    } catch (const Error& error) {
        if (error.kind() != Kind::usage || !error.place().file.empty()) throw;
        throw Error(error.kind(), error.what(), {file, 0, 0});
    }
}

std::string data_name(const DataOptions& options) {
    return options.file.empty() ? format("data.source \"{}\"", options.source) : options.file;
}

/// Collective. Every rank reads; all must have read the same.
/// `any_file`: options.file is read whatever the source was.
Dataset read_together(const DataOptions& options, int qubits, Comm& comm, const Loss& loss,
                      const std::string& config_file, bool any_file = false) {
    Dataset data = together(comm, "reading the data", [&] {
        inject_fault(comm, "data");
        if (any_file) return read_dataset(options.file, qubits);
        // Minimising an observable needs no data: one sample without features.
        if (options.source.empty() && options.file.empty() && !loss.has_labels()) {
            Dataset one;
            one.samples = 1;
            return one;
        }
        if (options.source.empty())
            fail_at({config_file, 0, 0}, Kind::usage,
                    "the config names no data: set data.source to \"excitations\", "
                    "\"csv\" or \"hdf5\"");
        return make_dataset(options, qubits);
    });
    require_same(comm, data_name(options), sha256(data.features) + sha256(data.labels));
    return data;
}

/// Without a data source there is one sample, which trains.
std::size_t training_rows(const DataOptions& options, const Dataset& data) {
    return options.source.empty() ? data.samples : train_rows(options, data.samples);
}

/// Refuses plans with states beyond all memory: what counts executions and bytes comes after.
void check_plans(const Model& model, const Config& config) {
    for (const Plan* plan : model.plans())
        check_addressable(*plan, precision_of(config.engine.precision));
}

/// Refuses passes of batches of at most `batch` of these samples that do not fit into this host's
/// memory together with its other ranks.
void check_passes(const Model& model, const Config& config, const Table& features,
                  std::size_t batch, bool gradients, int threads, const Comm& comm) {
    const std::vector<const Plan*> plans = model.plans();
    if (plans.empty()) return;
    std::vector<double> bytes =
        pass_bytes(model, most_executions(model, features, batch), comm.size(), threads,
                   static_cast<std::size_t>(config.engine.micro_batch), gradients);
    std::sort(bytes.begin(), bytes.end(), std::greater<>());
    const double host = std::accumulate(bytes.begin(), bytes.begin() + comm.node_size(), 0.0);
    const Plan& largest =
        **std::max_element(plans.begin(), plans.end(), [](const Plan* a, const Plan* b) {
            return largest_state(*a) < largest_state(*b);
        });
    check_memory(largest, precision_of(config.engine.precision), bytes.front(), host,
                 comm.node_size());
}

} // namespace

void check_offered(const Config& config) {
    const auto refuse = [](const std::string& what) {
        fail(Kind::usage, "{} is not offered by this release", what);
    };
    const EngineOptions& engine = config.engine;
    if (engine.shards != 1) refuse(format("engine.shards = {}", engine.shards));
}

EngineOptions engine_options(const std::vector<std::string>& sets) {
    for (const std::string& set : sets)
        if (!set.starts_with("engine."))
            fail(Kind::usage, "--set {}: only keys of [engine] apply here", set);
    const Config config = parse_config("", "command line", sets);
    check_offered(config);
    return config.engine;
}

CompileOptions compile_options(const EngineOptions& engine) {
    // Units of fewer executions would leave most lanes idle.
    constexpr std::int64_t kFewExecutions = 3;
    const bool idle = engine.lanes == "auto" && engine.micro_batch < kFewExecutions;
    return {engine.fusion,      engine.light_cones,          engine.execution == "eager",
            engine.late_qubits, idle ? "off" : engine.lanes, engine.piece_amplitudes};
}

MachineSettings settle_machine(const EngineOptions& engine, Comm& comm,
                               const MachineSettings& stored) {
    MachineSettings settings;
    std::int64_t piece = stored.piece_amplitudes;
    if (piece == 0) piece = engine.piece_amplitudes;
    if (piece == 0) piece = piece_for(second_cache_bytes(), precision_of(engine.precision));
    settings.piece_amplitudes = *parse_integer(comm.all_gather(format("{}", piece)).front());
    // The targets of all ranks, by name.
    std::string own;
    for (SimdTarget target : simd_targets()) own += std::string(simd_name(target)) + ' ';
    const std::vector<std::string> all = comm.all_gather(own);
    const auto common = [&](const std::string& name) {
        return std::all_of(all.begin(), all.end(), [&](const std::string& names) {
            return names.find(name + ' ') != std::string::npos;
        });
    };
    for (SimdTarget target : simd_targets())
        if (common(std::string(simd_name(target)))) settings.simd = simd_name(target);
    if (engine.simd != "auto") settings.simd = engine.simd;
    if (stored.simd != "auto" && stored.simd != settings.simd) {
        if (common(stored.simd)) {
            settings.simd = stored.simd;
        } else {
            log_warning(
                "the checkpoint was computed with the SIMD target {}, which this machine "
                "lacks; this run uses {}: its bits may differ from those of an unbroken run",
                stored.simd, settings.simd);
        }
    }
    together(comm, "choosing the SIMD target", [&] { use_simd(settings.simd); });
    return settings;
}

std::vector<std::pair<std::string, Circuit>> circuits_of(const std::string& file) {
    if (!file.ends_with(".toml")) return {{file, parse_qasm(read_text_file(file), file)}};
    const Config config = load_config(file, {});
    std::vector<std::pair<std::string, Circuit>> circuits;
    for (const LayerSpec& layer : expand_layers(config.model))
        if (layer.type == "quantum")
            circuits.emplace_back(layer.name, layer_circuit(layer, config.model.qubits));
    if (circuits.empty()) fail_at({file, 0, 0}, Kind::usage, "the model has no quantum layer");
    return circuits;
}

void export_qasm(const std::string& file, int version, const std::vector<std::string>& bindings,
                 const std::string& out) {
    const Circuit circuit = parse_qasm(read_text_file(file), file);
    replace_text(out, write_qasm(circuit, version, bind_symbols(circuit, bindings, false)));
}

std::unique_ptr<Model> build_model(const Config& config, const std::vector<std::string>& columns,
                                   const MachineSettings& machine) {
    return std::make_unique<Model>(config.model, columns, quantum_settings(config, machine));
}

WeightsInfo weights_info(const Config& config, const std::vector<std::string>& columns,
                         const MachineSettings& machine) {
    return {config_text(config, ConfigPart::training), columns, machine.simd,
            machine.piece_amplitudes};
}

std::vector<std::string> data_columns(const Config& config) {
    return make_dataset(config.data, static_cast<int>(config.model.qubits)).columns;
}

std::vector<std::pair<std::string, std::string>> library_versions() {
    return {{"HDF5", hdf5_version()},
            {"Eigen",
             format("{}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION)},
            {"fmt",
             format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100)}};
}

Assembly assemble(const Config& config, Comm& comm, int threads, const MachineSettings& stored) {
    Assembly result;
    result.config = config;
    const int qubits = static_cast<int>(config.model.qubits);
    together(comm, "checking the config", [&] {
        in_file(config.file, [&] {
            check_offered(config);
            result.threads =
                resolve_threads(comm, threads, static_cast<int>(config.engine.threads));
            result.loss = Loss(config.train.loss);
            Optimizer(config.optimizer, 0);
            expand_layers(config.model);
        });
    });
    const Dataset data = read_together(config.data, qubits, comm, result.loss, config.file);
    result.machine = settle_machine(config.engine, comm, stored);
    together(comm, "building the model", [&] {
        std::size_t rows = 0;
        in_file(config.file, [&] {
            rows = training_rows(config.data, data);
            if (config.train.early_stopping_patience > 0 && rows == data.samples)
                fail(Kind::usage, "train.early_stopping_patience watches val_loss, but no samples "
                                  "are left for validation");
        });
        result.columns = data.columns;
        result.model = build_model(config, result.columns, result.machine);
        check_plans(*result.model, config);
        const std::string where = data_name(config.data);
        const auto take = [&](std::size_t first, std::size_t count) {
            return take_samples(data, result.columns, first, count, where);
        };
        result.loss.check_labels(take(0, data.samples).labels, result.model->outputs(), where,
                                 data.lines);
        result.training = take(0, rows);
        result.validation = take(rows, data.samples - rows);
    });
    return result;
}

void check_training_memory(const Assembly& assembly, Comm& comm) {
    together(comm, "checking the memory", [&] {
        const auto check = [&](const Samples& samples, std::size_t batch, bool gradients) {
            check_passes(*assembly.model, assembly.config, samples.features, batch, gradients,
                         assembly.threads, comm);
        };
        check(assembly.training, static_cast<std::size_t>(assembly.config.train.batch_size), true);
        check(assembly.validation, assembly.validation.count(), false);
    });
}

std::vector<double> initial_parameters(const Assembly& assembly) {
    const TrainOptions& options = assembly.config.train;
    return options.initial_weights.empty()
               ? assembly.model->initial(options.seed)
               : read_any_weights(options.initial_weights, *assembly.model);
}

Config expanded(const Config& config) {
    Config result = config;
    result.model.layers = expand_layers(config.model);
    result.model.kind = "layers";
    return result;
}

TrainSetup training_setup(const Assembly& assembly, const RunStart& start, bool show_progress) {
    const Config& config = assembly.config;
    const RunFolder folder{config.output.folder};
    return {.model = *assembly.model,
            .loss = assembly.loss,
            .training = assembly.training,
            .validation = assembly.validation,
            .parameters = start.resumption ? std::vector<double>() : initial_parameters(assembly),
            .options = config.train,
            .optimizer = config.optimizer,
            .checkpoint = config.checkpoint,
            .folder = folder,
            .overwrite = start.overwrite,
            .resumption = start.resumption,
            .lock = start.lock,
            .config_text = config_text(config, ConfigPart::everything, folder.folder),
            .config_identity = config_identity(config),
            .weights_info = weights_info(config, assembly.columns, assembly.machine),
            .show_progress = show_progress};
}

TrainedModel load_trained(const std::string& weights, const std::string& data_file, Comm& comm,
                          int threads) {
    TrainedModel result;
    std::vector<std::string> columns;
    int workers = 1;
    const WeightsInfo info =
        together(comm, "reading the weights", [&] { return read_weights_info(weights); });
    together(comm, "reading the config of the weights", [&] {
        columns = info.columns;
        // A name without a folder: relative paths are taken from the working folder.
        result.config = parse_config(info.config, "config of the weights", {});
        workers = resolve_threads(comm, threads, 0);
        result.config.engine.threads = workers;
        result.loss = Loss(result.config.train.loss);
    });
    // Pieces as in training; the SIMD target is this machine's.
    const MachineSettings machine =
        settle_machine(result.config.engine, comm, {"auto", info.piece_amplitudes});
    together(comm, "reading the weights", [&] {
        result.model = build_model(result.config, columns, machine);
        result.model->set_parameters(read_weights(weights, *result.model));
        check_plans(*result.model, result.config);
    });
    DataOptions source = result.config.data;
    if (!data_file.empty()) source.file = data_file;
    const Dataset data = read_together(source, static_cast<int>(result.config.model.qubits), comm,
                                       result.loss, result.config.file, !data_file.empty());
    together(comm, "taking the samples", [&] {
        const std::string where = data_name(source);
        const std::size_t first =
            data_file.empty() && !source.source.empty() ? training_rows(source, data) : 0;
        result.samples = take_samples(data, columns, first, data.samples - first, where);
        const Table& labels = result.samples.labels;
        check_passes(*result.model, result.config, result.samples.features, result.samples.count(),
                     false, workers, comm);
        result.labelled = !result.loss.has_labels() || labels.width > 0;
        if (result.labelled)
            result.loss.check_labels(labels, result.model->outputs(), where,
                                     std::span(data.lines).subspan(data.lines.empty() ? 0 : first));
    });
    return result;
}

} // namespace wavetrain
