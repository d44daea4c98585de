/// wavetrain train CONFIG
#include "command.hpp"

#include "wavetrain/base/hash.hpp"
#include "wavetrain/comm/signals.hpp"
#include "wavetrain/config/assemble.hpp"

#include <memory>

namespace wavetrain {
namespace {

struct TrainArguments {
    std::string config;
    std::vector<std::string> sets;
    std::string resume = "never";
    bool overwrite = false;
};

std::string score_text(const char* name, const Score& score) {
    std::string text = format("{} loss {:.6f}", name, score.loss);
    if (score.accuracy) text += format(", accuracy {:.4f}", *score.accuracy);
    return text;
}

Json result_json(const TrainResult& result) {
    Json json = Json::object().set("epochs", result.epochs).set("steps", result.steps);
    if (result.training) json.set("loss", result.training->loss);
    if (result.training && result.training->accuracy)
        json.set("accuracy", *result.training->accuracy);
    if (result.validation) {
        json.set("val_loss", result.validation->loss);
        if (result.validation->accuracy) json.set("val_accuracy", *result.validation->accuracy);
    }
    return json.set("seconds", result.seconds).set("files", result.files);
}

void print_trained(const TrainResult& result, const Program& program, Comm& comm) {
    std::string text = format("trained {} epochs ({} steps) in {:.1f} s", result.epochs,
                              result.steps, result.seconds);
    if (result.training) text += format(": {}", score_text("training", *result.training));
    if (result.validation) text += format("; {}", score_text("validation", *result.validation));
    text += "\nfiles written:";
    for (const std::string& file : result.files) text += "\n  " + file;
    if (program.json || !program.quiet) print_result(program, comm, result_json(result), text);
}

void run_train(const TrainArguments& arguments, const Program& program, Comm& comm) {
    const Config config = together(comm, "reading the config",
                                   [&] { return load_config(arguments.config, arguments.sets); });
    require_same(comm, arguments.config, config_text(config, ConfigPart::everything));
    Watchdog watchdog(comm, config.comm.timeout_seconds);
    const RunStart start = plan_start(config, arguments.resume, arguments.overwrite, comm);
    if (start.finished) return print_trained(*start.finished, program, comm);
    watchdog.mark("reading the data and building the model");
    Assembly assembly = assemble(config, comm, program.threads, start.machine);
    check_training_memory(assembly, comm);
    const TrainSetup setup = together(comm, "preparing the training", [&] {
        return training_setup(assembly, start, !program.quiet);
    });
    require_same(comm, "initial weights", sha256(setup.parameters));
    log_info(
        "{}: {} parameters, {} training and {} validation samples; {} rank{}, {} thread{} each; "
        "gradient: {}; precision: {}",
        arguments.config, assembly.model->parameters(), assembly.training.count(),
        assembly.validation.count(), comm.size(), comm.size() == 1 ? "" : "s", assembly.threads,
        assembly.threads == 1 ? "" : "s", method_name(method_of(config.gradient.method)),
        config.engine.precision);
    Workers workers{comm, assembly.threads, static_cast<std::size_t>(config.engine.micro_batch)};
    workers.stop_requested = [] { return stop_signal() != 0; };
    print_trained(train(setup, workers, watchdog), program, comm);
}

} // namespace

void add_train(CLI::App& app, Program& program) {
    auto arguments = std::make_shared<TrainArguments>();
    CLI::App* command = add_command(app, program, "train", "train the model of a config");
    command->add_option("config", arguments->config, "the config file (TOML)")->required();
    command->add_option("--set", arguments->sets, "override a key: --set train.epochs=3")
        ->type_name("KEY=VALUE")
        ->expected(1)
        ->take_all();
    command->add_flag("--overwrite", arguments->overwrite,
                      "remove a run that the output folder holds, then train");
    command
        ->add_option("--resume", arguments->resume,
                     "go on from a checkpoint: auto (the output folder's newest), a path, or never")
        ->type_name("auto|never|PATH")
        ->capture_default_str();
    command->callback([arguments, &program] {
        program.launch.refuse_singleton = true;
        program.stops_in_order = true;
        program.command = [arguments, &program](Comm& comm) {
            run_train(*arguments, program, comm);
        };
    });
}

} // namespace wavetrain
