/// wavetrain bench circuit FILE
#include "command.hpp"

#include "wavetrain/circuit/bind.hpp"
#include "wavetrain/circuit/qasm.hpp"
#include "wavetrain/config/assemble.hpp"
#include "wavetrain/config/bench_circuit.hpp"
#include "wavetrain/engine/simd.hpp"

#include <memory>

namespace wavetrain {
namespace {

struct BenchCircuitArguments {
    std::string file;
    std::string what = "forward";
    std::string method = "adjoint";
    std::string precision;
    std::vector<std::string> observables;
    std::vector<std::string> bindings;
    std::vector<std::string> sets;
    CircuitBench bench;
};

void run_bench_circuit(BenchCircuitArguments& a, const Program& program, Comm& comm) {
    on_root(comm, "timing the circuit", [&] {
        CircuitBench& bench = a.bench;
        EngineOptions engine = engine_options(a.sets);
        use_simd(engine.simd);
        bench.circuit = parse_qasm(read_text_file(a.file), a.file);
        bench.symbols = bind_symbols(bench.circuit, a.bindings, true);
        for (const std::string& text : a.observables)
            bench.observables.push_back(parse_pauli_sum(text));
        bench.gradient = a.what == "gradient";
        if (bench.gradient && bench.observables.empty())
            fail(Kind::usage, "a gradient needs at least one --observe");
        bench.method = method_of(a.method);
        bench.precision = precision_of(a.precision.empty() ? engine.precision : a.precision);
        bench.compile = compile_options(engine);
        bench.threads = resolve_threads(comm, program.threads, static_cast<int>(engine.threads));
        const CircuitTiming timing = bench_circuit(bench);
        print_result(program, comm,
                     Json::object()
                         .set("seconds_per_circuit", timing.seconds_per_circuit)
                         .set("compile_seconds", timing.compile_seconds)
                         .set("bytes", timing.bytes)
                         .set("flops", timing.flops)
                         .set("values", timing.values),
                     format("{:.6g} s a circuit ({} of {}), compiled in {:.3g} s, {} bytes of "
                            "states, {:.3g} GFLOP/s by the cost model",
                            timing.seconds_per_circuit, a.what, bench.batch, timing.compile_seconds,
                            timing.bytes, timing.flops / timing.seconds_per_circuit * 1e-9));
    });
}

} // namespace

void add_bench_circuit(CLI::App& bench, Program& program) {
    auto arguments = std::make_shared<BenchCircuitArguments>();
    BenchCircuitArguments& a = *arguments;
    CLI::App* command = add_command(bench, program, "circuit", "time one OpenQASM circuit");
    command->add_option("circuit", a.file, "an OpenQASM 2 or 3 file")->required();
    command->add_option("--what", a.what, "forward or gradient")
        ->check(CLI::IsMember({"forward", "gradient"}));
    command->add_option("--gradient", a.method, "how to differentiate")
        ->check(CLI::IsMember({"adjoint", "parameter_shift", "finite_difference"}));
    command->add_option("--observe", a.observables, "an observable; without one the whole state")
        ->expected(1)
        ->take_all();
    command->add_option("--bind", a.bindings, "a value for an input")->expected(1)->take_all();
    command->add_option("--batch", a.bench.batch, "circuits of one pass")
        ->check(CLI::Range(1, 1 << 20));
    command->add_option("--vary", a.bench.vary, "an input that differs within the batch")
        ->expected(1)
        ->take_all();
    command->add_option("--repeat", a.bench.repeat, "passes, of which the best counts")
        ->check(CLI::Range(1, 1 << 20));
    command->add_option("--precision", a.precision, "double or single")
        ->check(CLI::IsMember({"double", "single"}));
    command->add_option("--set", a.sets, "an engine key")->expected(1)->take_all();
    command->callback([arguments, &program] {
        program.command = [arguments, &program](Comm& comm) {
            run_bench_circuit(*arguments, program, comm);
        };
    });
}

} // namespace wavetrain
