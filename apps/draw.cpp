/// wavetrain draw CIRCUIT|CONFIG
#include "command.hpp"

#include "wavetrain/circuit/draw.hpp"
#include "wavetrain/circuit/qasm.hpp"
#include "wavetrain/config/assemble.hpp"

#include <memory>

namespace wavetrain {
namespace {

struct DrawArguments {
    std::string file;
    int width = 0;
};

void run_draw(const DrawArguments& arguments, const Program& program, Comm& comm) {
    on_root(comm, "drawing", [&] {
        Json drawings = Json::object();
        std::string text;
        for (const auto& [name, circuit] : circuits_of(arguments.file)) {
            const std::string drawing = draw(circuit, arguments.width);
            drawings.set(name, drawing);
            text += format("{}{}:\n{}", text.empty() ? "" : "\n", name, drawing);
        }
        if (text.ends_with('\n')) text.pop_back();
        print_result(program, comm, drawings, text);
    });
}

} // namespace

void add_draw(CLI::App& app, Program& program) {
    auto arguments = std::make_shared<DrawArguments>();
    CLI::App* command = add_command(app, program, "draw", "draw a circuit, or those of a config");
    command->add_option("file", arguments->file, "an OpenQASM file or a config")->required();
    command->add_option("--width", arguments->width, "characters in a line (0: no limit)")
        ->check(CLI::NonNegativeNumber);
    command->callback([arguments, &program] {
        program.command = [arguments, &program](Comm& comm) {
            run_draw(*arguments, program, comm);
        };
    });
}

} // namespace wavetrain
