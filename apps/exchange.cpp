/// wavetrain export --keras WEIGHTS OUT, wavetrain import --keras IN CONFIG OUT
#include "command.hpp"

#include "wavetrain/config/assemble.hpp"

#include <memory>

namespace wavetrain {
namespace {

void run_export(const std::vector<std::string>& files, const Program& program, Comm& comm) {
    on_root(comm, "exporting the weights", [&] {
        const WeightsInfo info = read_weights_info(files[0]);
        const Config config = parse_config(info.config, "config of the weights", {});
        const std::unique_ptr<Model> model = build_model(config, info.columns);
        export_keras(files[1], *model, read_weights(files[0], *model));
    });
    print_result(program, comm, Json::object().set("files", std::vector<std::string>{files[1]}),
                 format("files written:\n  {}", files[1]));
}

void run_import(const std::vector<std::string>& files, const Program& program, Comm& comm) {
    on_root(comm, "importing the weights", [&] {
        const Config config = load_config(files[1], {});
        check_offered(config);
        const std::vector<std::string> columns = data_columns(config);
        const std::unique_ptr<Model> model = build_model(config, columns);
        save_weights(files[2], *model, read_keras_weights(files[0], *model),
                     weights_info(config, columns));
    });
    print_result(program, comm, Json::object().set("files", std::vector<std::string>{files[2]}),
                 format("files written:\n  {}", files[2]));
}

} // namespace

void add_export(CLI::App& app, Program& program) {
    auto files = std::make_shared<std::vector<std::string>>();
    CLI::App* command = add_command(app, program, "export", "weights for Keras");
    command->add_option("--keras", *files, "our weights file, and the file to write")
        ->type_name("WEIGHTS OUT")
        ->expected(2)
        ->required();
    command->callback([files, &program] {
        program.command = [files, &program](Comm& comm) { run_export(*files, program, comm); };
    });
}

void add_import(CLI::App& app, Program& program) {
    auto files = std::make_shared<std::vector<std::string>>();
    CLI::App* command = add_command(app, program, "import", "weights that Keras wrote");
    command
        ->add_option("--keras", *files, "Keras' file, the config of the model, the file to write")
        ->type_name("IN CONFIG OUT")
        ->expected(3)
        ->required();
    command->callback([files, &program] {
        program.command = [files, &program](Comm& comm) { run_import(*files, program, comm); };
    });
}

} // namespace wavetrain
