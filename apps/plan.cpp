/// wavetrain plan CONFIG|CIRCUIT
#include "command.hpp"

#include "wavetrain/base/machine.hpp"
#include "wavetrain/comm/launch.hpp"
#include "wavetrain/config/assemble.hpp"
#include "wavetrain/config/forecast.hpp"

#include <memory>

namespace wavetrain {
namespace {

struct PlanArguments {
    std::string file;
    std::vector<std::string> sets;
    int ranks = 1;
    bool print_config = false;
};

Json forecast_json(const Forecast& forecast) {
    Json executions = Json::array();
    for (const Execution& execution : forecast.executions) {
        Json row = Json::object();
        if (!execution.layer.empty()) row.set("layer", execution.layer);
        executions.push(row.set("qubits", execution.qubits)
                            .set("count", static_cast<std::int64_t>(execution.count))
                            .set("method", execution.method)
                            .set("blocks", static_cast<std::uint64_t>(execution.blocks))
                            .set("units", static_cast<std::int64_t>(execution.units)));
    }
    return Json::object()
        .set("ranks", forecast.ranks)
        .set("bytes_per_rank", forecast.bytes < 9e18
                                   ? Json(static_cast<std::int64_t>(forecast.bytes))
                                   : Json(forecast.bytes))
        .set("flops", forecast.flops)
        .set("messages", static_cast<std::int64_t>(forecast.messages))
        .set("seconds", forecast.seconds)
        .set("executions", executions);
}

std::string forecast_text(const Forecast& forecast, const Program& program) {
    std::string text =
        format("{} bytes a rank for states; {:.3g} flops, {} messages a rank, about "
               "{:.3g} s on {} rank{} of {} thread{} (at {:.1f} GFLOP/s a thread)",
               grouped_bytes(forecast.bytes), forecast.flops, forecast.messages, forecast.seconds,
               forecast.ranks, forecast.ranks == 1 ? "" : "s", forecast.threads,
               forecast.threads == 1 ? "" : "s", kFlopsPerSecond / 1e9);
    for (const Execution& e : forecast.executions)
        text += format("\n{}{} qubits: {} x {}, {} blocks, in {} unit{}",
                       e.layer.empty() ? "" : e.layer + ": ", e.qubits, e.count, e.method, e.blocks,
                       e.units, e.units == 1 ? "" : "s");
    if (program.verbose)
        for (const std::string& plan : forecast.plans) text += "\n" + plan;
    return text;
}

void run_plan(const PlanArguments& arguments, const Program& program, Comm& comm) {
    on_root(comm, "planning", [&] {
        if (!arguments.file.ends_with(".toml")) {
            const Forecast forecast = forecast_circuit(arguments.file, arguments.ranks);
            print_result(program, comm, forecast_json(forecast), forecast_text(forecast, program));
            return;
        }
        const Config config = load_config(arguments.file, arguments.sets);
        if (arguments.print_config) {
            const std::string text = config_text(expanded(config), ConfigPart::everything);
            print_result(program, comm, Json::object().set("config", text), text);
            return;
        }
        // As training would take them with all ranks on a host like this one.
        const int threads = resolve_threads(arguments.ranks, program.threads,
                                            static_cast<int>(config.engine.threads));
        const Forecast forecast = forecast_config(config, arguments.ranks, threads);
        print_result(program, comm, forecast_json(forecast), forecast_text(forecast, program));
    });
}

} // namespace

void add_plan(CLI::App& app, Program& program) {
    auto arguments = std::make_shared<PlanArguments>();
    CLI::App* command = add_command(app, program, "plan",
                                    "memory, work, messages and time of a run (--verbose: blocks)");
    command->add_option("file", arguments->file, "a config (.toml) or an OpenQASM file")
        ->required();
    command->add_option("--ranks", arguments->ranks, "for how many ranks")
        ->check(CLI::Range(1, 1 << 24));
    command->add_option("--set", arguments->sets, "override a key")->expected(1)->take_all();
    command->add_flag("--print-config", arguments->print_config,
                      "print the resolved config with its layers written out");
    command->callback([arguments, &program] {
        program.command = [arguments, &program](Comm& comm) {
            run_plan(*arguments, program, comm);
        };
    });
}

} // namespace wavetrain
