/// wavetrain evaluate WEIGHTS [--data FILE]
#include "command.hpp"

#include "wavetrain/config/assemble.hpp"

#include <memory>

namespace wavetrain {
namespace {

struct EvaluateArguments {
    std::string weights;
    std::string data;
};

void run_evaluate(const EvaluateArguments& arguments, const Program& program, Comm& comm) {
    const TrainedModel trained =
        load_trained(arguments.weights, arguments.data, comm, program.threads);
    together(comm, "evaluating", [&] {
        if (trained.samples.count() == 0)
            fail(Kind::usage, "{}: its own data have no validation part; name samples with --data",
                 arguments.weights);
        if (!trained.labelled)
            fail(Kind::usage, "{}: no labels to evaluate against; use 'wavetrain predict'",
                 arguments.data);
    });
    const Workers workers{comm, static_cast<int>(trained.config.engine.threads),
                          static_cast<std::size_t>(trained.config.engine.micro_batch)};
    const Evaluation result =
        evaluate_samples(*trained.model, trained.loss, trained.samples, workers, "evaluation");
    Json json = Json::object()
                    .set("samples", static_cast<std::uint64_t>(result.samples))
                    .set("loss", result.loss);
    std::string text = format("{} samples: loss {}", result.samples, result.loss);
    if (result.accuracy) {
        json.set("accuracy", *result.accuracy);
        text += format(", accuracy {}", *result.accuracy);
    }
    print_result(program, comm, json, text);
}

} // namespace

void add_evaluate(CLI::App& app, Program& program) {
    auto arguments = std::make_shared<EvaluateArguments>();
    CLI::App* command =
        add_command(app, program, "evaluate", "loss and accuracy of trained weights");
    command->add_option("weights", arguments->weights, "a weights file")->required();
    command->add_option("--data", arguments->data,
                        "samples (CSV or HDF5); default: the validation part of its own data");
    command->callback([arguments, &program] {
        program.command = [arguments, &program](Comm& comm) {
            run_evaluate(*arguments, program, comm);
        };
    });
}

} // namespace wavetrain
