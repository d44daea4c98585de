/// wavetrain import --keras IN CONFIG OUT
#include "command.hpp"

#include "wavetrain/config/assemble.hpp"
#include "wavetrain/engine/simd.hpp"

#include <memory>

namespace wavetrain {
namespace {

void run_import(const std::vector<std::string>& files, const Program& program, Comm& comm) {
    on_root(comm, "importing the weights", [&] {
        refuse_same(files[0], files[2]);
        const Config config = load_config(files[1], {});
        check_offered(config);
        const std::vector<std::string> columns = data_columns(config);
        const std::unique_ptr<Model> model = build_model(config, columns);
        save_weights(files[2], *model, read_keras_weights(files[0], *model),
                     weights_info(config, columns, {std::string(simd_name(simd_in_use())), 0}));
    });
    print_file(program, comm, files[2]);
}

} // namespace

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
