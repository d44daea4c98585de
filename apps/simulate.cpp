/// wavetrain simulate FILE
#include "command.hpp"
#include "simulation_text.hpp"

#include "wavetrain/circuit/bind.hpp"
#include "wavetrain/circuit/qasm.hpp"
#include "wavetrain/config/assemble.hpp"
#include "wavetrain/engine/simd.hpp"

#include <memory>

namespace wavetrain {
namespace {

struct SimulateArguments {
    std::string file;
    std::vector<std::string> observables;
    std::vector<std::string> bindings;
    std::vector<std::string> sets;
    std::string gradient;
    std::string precision;
    SimulationRequest request;
    bool eager = false;
    bool trace = false;
};

void run_simulate(SimulateArguments& arguments, const Program& program, Comm& comm) {
    on_root(comm, "simulating", [&] {
        const Circuit circuit = parse_qasm(read_text_file(arguments.file), arguments.file);
        SimulationRequest& request = arguments.request;
        EngineOptions engine = engine_options(arguments.sets);
        if (!arguments.precision.empty()) engine.precision = arguments.precision;
        if (arguments.eager) engine.execution = "eager";
        use_simd(engine.simd);
        request.threads = resolve_threads(comm, program.threads, static_cast<int>(engine.threads));
        request.precision = precision_of(engine.precision);
        request.compile = compile_options(engine);
        for (const std::string& text : arguments.observables)
            request.observables.push_back(parse_pauli_sum(text));
        if (!arguments.gradient.empty()) request.gradient = method_of(arguments.gradient);
        if (request.gradient && request.observables.empty())
            fail(Kind::usage, "--gradient needs at least one --observe");
        request.symbols = bind_symbols(circuit, arguments.bindings, true);
        TraceText trace(circuit, program.json);
        if (arguments.trace) request.trace = std::ref(trace);
        const SimulationResult result = simulate(circuit, request);
        Json json = simulation_json(circuit, request, result, engine.precision);
        if (arguments.trace) json.set("trace", trace.json());
        print_result(program, comm, json, simulation_text(circuit, request, result));
    });
}

} // namespace

void add_simulate(CLI::App& app, Program& program) {
    auto arguments = std::make_shared<SimulateArguments>();
    SimulateArguments& a = *arguments;
    CLI::App* command = add_command(app, program, "simulate", "run an OpenQASM circuit");
    command->add_option("circuit", a.file, "an OpenQASM 2 or 3 file")->required();
    command->add_option("--observe", a.observables, "an observable, such as \"0.5*X0*Z1 - Z2\"")
        ->expected(1)
        ->take_all();
    command->add_option("--bind", a.bindings, "a value for an input: theta=0.3 or w=0.1,0.2")
        ->expected(1)
        ->take_all();
    command->add_option("--gradient", a.gradient, "derivatives of the observables in the inputs")
        ->check(CLI::IsMember({"adjoint", "parameter_shift", "finite_difference"}));
    command->add_flag("--amplitudes", a.request.amplitudes, "the final state");
    command->add_option("--samples", a.request.samples, "number of samples to draw")
        ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40));
    command->add_option("--seed", a.request.seed, "seed of the samples")
        ->check(CLI::Range(0.0, 0x1p63));
    command->add_option("--precision", a.precision, "double or single")
        ->check(CLI::IsMember({"double", "single"}));
    CLI::Option* eager = command->add_flag("--eager", a.eager, "gate by gate, each one checked");
    command->add_flag("--trace", a.trace, "print norm and observables after every gate")
        ->needs(eager);
    command->add_option("--set", a.sets, "an engine key: engine.fusion=off")
        ->expected(1)
        ->take_all();
    command->callback([arguments, &program] {
        program.command = [arguments, &program](Comm& comm) {
            run_simulate(*arguments, program, comm);
        };
    });
}

} // namespace wavetrain
