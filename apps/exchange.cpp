/// wavetrain export --keras|--qasm ..., wavetrain import --keras ...
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

void run_qasm(const std::vector<std::string>& words, const std::vector<std::string>& bindings,
              const Program& program, Comm& comm) {
    on_root(comm, "exporting the circuit", [&] {
        if (words[0] != "2" && words[0] != "3")
            fail(Kind::usage, "--qasm: the version is 2 or 3, not '{}'", words[0]);
        export_qasm(words[1], words[0] == "2" ? 2 : 3, bindings, words[2]);
    });
    print_result(program, comm, Json::object().set("files", std::vector<std::string>{words[2]}),
                 format("files written:\n  {}", words[2]));
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
    auto keras = std::make_shared<std::vector<std::string>>();
    auto qasm = std::make_shared<std::vector<std::string>>();
    auto bindings = std::make_shared<std::vector<std::string>>();
    CLI::App* command =
        add_command(app, program, "export", "weights for Keras, circuits as OpenQASM");
    CLI::Option* to_keras =
        command->add_option("--keras", *keras, "our weights file, and the file to write")
            ->type_name("WEIGHTS OUT")
            ->expected(2);
    CLI::Option* to_qasm =
        command->add_option("--qasm", *qasm, "version (2 or 3), the circuit, the file to write")
            ->type_name("VERSION CIRCUIT OUT")
            ->expected(3)
            ->excludes(to_keras);
    command->add_option("--bind", *bindings, "a value for an input of the circuit")
        ->needs(to_qasm)
        ->expected(1)
        ->take_all();
    command->callback([keras, qasm, bindings, &program] {
        if (keras->empty() && qasm->empty()) throw CLI::RequiredError("--keras or --qasm");
        program.command = [keras, qasm, bindings, &program](Comm& comm) {
            if (!keras->empty())
                run_export(*keras, program, comm);
            else
                run_qasm(*qasm, *bindings, program, comm);
        };
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
