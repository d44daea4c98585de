/// wavetrain gradcheck CONFIG
#include "command.hpp"

#include "wavetrain/config/gradcheck.hpp"

#include <algorithm>
#include <memory>

namespace wavetrain {
namespace {

constexpr double kTolerance = 1e-6;

struct GradcheckArguments {
    std::string config;
    std::vector<std::string> sets;
};

void run_gradcheck(const GradcheckArguments& arguments, const Program& program, Comm& comm) {
    const Config config = together(comm, "reading the config",
                                   [&] { return load_config(arguments.config, arguments.sets); });
    Assembly assembly = assemble(config, comm, program.threads);
    double largest = 0;
    on_root(comm, "checking gradients", [&] {
        Json layers = Json::array();
        std::string text;
        for (const LayerCheck& check : check_gradients(assembly, initial_parameters(assembly))) {
            if (!(check.largest() <= largest)) largest = check.largest();
            Json row = Json::object();
            row.set("name", check.name).set("type", check.type);
            row.set("derivatives", static_cast<std::uint64_t>(check.checked));
            row.set("largest_difference", check.largest());
            if (check.type == "quantum") row.set("adjoint_parameter_shift", check.adjoint_shift);
            row.set("adjoint_finite_difference", check.adjoint_difference);
            layers.push(row);
            text += format("{} ({}): {} derivatives, largest difference {:.3g}\n", check.name,
                           check.type, check.checked, check.largest());
        }
        text += format("largest difference {:.3g}", largest);
        print_result(program, comm,
                     Json::object().set("largest_difference", largest).set("layers", layers), text);
        if (config.engine.precision == "double" && !(largest <= kTolerance))
            fail(Kind::numeric, "the gradient methods differ by {:.3g}, more than {:.0e}", largest,
                 kTolerance);
    });
}

} // namespace

void add_gradcheck(CLI::App& app, Program& program) {
    auto arguments = std::make_shared<GradcheckArguments>();
    CLI::App* command = add_command(app, program, "gradcheck",
                                    "compare adjoint, parameter shift and finite differences");
    command->add_option("config", arguments->config, "the config file (TOML)")->required();
    command->add_option("--set", arguments->sets, "override a key")->expected(1)->take_all();
    command->callback([arguments, &program] {
        program.command = [arguments, &program](Comm& comm) {
            run_gradcheck(*arguments, program, comm);
        };
    });
}

} // namespace wavetrain
