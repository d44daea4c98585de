/// wavetrain export --keras WEIGHTS OUT, wavetrain export --qasm 2|3 CIRCUIT OUT
#include "command.hpp"

#include "wavetrain/config/assemble.hpp"

#include <memory>

namespace wavetrain {
namespace {

void run_export(const std::vector<std::string>& files, const Program& program, Comm& comm) {
    on_root(comm, "exporting the weights", [&] {
        refuse_same(files[0], files[1]);
        const WeightsInfo info = read_weights_info(files[0]);
        const Config config = parse_config(info.config, "config of the weights", {});
        const std::unique_ptr<Model> model = build_model(config, info.columns);
        export_keras(files[1], *model, read_weights(files[0], *model));
    });
    print_file(program, comm, files[1]);
}

void run_qasm(const std::vector<std::string>& words, const std::vector<std::string>& bindings,
              const Program& program, Comm& comm) {
    on_root(comm, "exporting the circuit", [&] {
        if (words[0] != "2" && words[0] != "3")
            fail(Kind::usage, "--qasm: the version is 2 or 3, not '{}'", words[0]);
        export_qasm(words[1], words[0] == "2" ? 2 : 3, bindings, words[2]);
    });
    print_file(program, comm, words[2]);
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

} // namespace wavetrain
