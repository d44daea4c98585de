/// wavetrain predict WEIGHTS [--data FILE]
#include "command.hpp"

#include "wavetrain/config/assemble.hpp"

#include <memory>

namespace wavetrain {
namespace {

struct PredictArguments {
    std::string weights;
    std::string data;
};

/// One number per row, or a list where rows are wider.
Json rows_json(const Table& table) {
    if (table.width == 1) return Json(table.values);
    Json rows = Json::array();
    for (std::size_t r = 0; r < table.rows; ++r) rows.push(Json(table.row(r)));
    return rows;
}

double mean_loss(const Loss& loss, const Table& outputs, const Table& labels) {
    ExactSums sum(1, 0);
    for (std::size_t r = 0; r < outputs.rows; ++r)
        sum.add(0, loss.value(outputs.row(r), labels.row(r)));
    return sum.value(0) / static_cast<double>(outputs.rows);
}

void run_predict(const PredictArguments& arguments, const Program& program, Comm& comm) {
    const TrainedModel trained =
        load_trained(arguments.weights, arguments.data, comm, program.threads);
    const Workers workers{comm, static_cast<int>(trained.config.engine.threads),
                          static_cast<std::size_t>(trained.config.engine.micro_batch)};
    const Table outputs = predict_samples(*trained.model, trained.samples, workers);
    Json json = Json::object().set("predictions", rows_json(outputs));
    if (trained.samples.labels.width > 0) json.set("labels", rows_json(trained.samples.labels));
    if (trained.labelled && outputs.rows > 0)
        json.set("loss", mean_loss(trained.loss, outputs, trained.samples.labels));
    std::string text;
    for (std::size_t r = 0; r < outputs.rows; ++r)
        text += format("{}{}", text.empty() ? "" : "\n", fmt::join(outputs.row(r), " "));
    print_result(program, comm, json, text);
}

} // namespace

void add_predict(CLI::App& app, Program& program) {
    auto arguments = std::make_shared<PredictArguments>();
    CLI::App* command = add_command(app, program, "predict", "the outputs of trained weights");
    command->add_option("weights", arguments->weights, "a weights file")->required();
    command->add_option("--data", arguments->data,
                        "samples (CSV or HDF5); default: the validation part of its own data");
    command->callback([arguments, &program] {
        program.command = [arguments, &program](Comm& comm) {
            run_predict(*arguments, program, comm);
        };
    });
}

} // namespace wavetrain
