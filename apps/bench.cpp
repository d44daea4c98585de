/// wavetrain bench: how fast the engine is here.
#include "command.hpp"

#include "wavetrain/base/machine.hpp"
#include "wavetrain/config/bench_suite.hpp"
#include "wavetrain/engine/simd.hpp"

#include <cstdio>
#include <memory>

namespace wavetrain {
namespace {

struct BenchArguments {
    std::vector<std::string> groups;
    int largest = 23;
    bool peers = false;
    std::string peers_file = "build/peers/table.json";
};

std::string row_text(const BenchRow& row) {
    std::string text = format("{:<72} {:>10.4g} {:<8}", row.name, row.value, row.unit);
    if (row.ratio) text += format(" {:>7.1f} x {:<12}", *row.ratio, row.peer);
    if (!row.target.empty()) text += format(" target {}", row.target);
    return text;
}

Json row_json(const BenchRow& row) {
    Json json = Json::object()
                    .set("name", row.name)
                    .set("value", row.value)
                    .set("unit", row.unit)
                    .set("peer", row.peer.empty() ? Json() : Json(row.peer))
                    .set("ratio", row.ratio ? Json(*row.ratio) : Json());
    return json.set("target", row.target.empty() ? Json() : Json(row.target));
}

void run_bench(const BenchArguments& a, const Program& program, Comm& comm) {
    on_root(comm, "measuring", [&] {
        const int threads = resolve_threads(comm, program.threads, 0);
        const auto show = [&](const BenchRow& row) {
            if (!program.json) std::puts(row_text(row).c_str());
        };
        std::vector<BenchRow> rows = bench_suite(a.groups, a.largest, threads, show);
        if (a.peers)
            for (const BenchRow& row : read_peer_rows(a.peers_file)) {
                show(row);
                rows.push_back(row);
            }
        if (!program.json) return;
        Json list = Json::array();
        for (const BenchRow& row : rows) list.push(row_json(row));
        const Json machine = Json::object()
                                 .set("host", host_name())
                                 .set("cpus", available_cpus())
                                 .set("simd", simd_name(simd_in_use()))
                                 .set("second_cache_bytes", second_cache_bytes());
        print_result(program, comm, Json::object().set("machine", machine).set("rows", list), "");
    });
}

} // namespace

void add_bench(CLI::App& app, Program& program) {
    auto arguments = std::make_shared<BenchArguments>();
    BenchArguments& a = *arguments;
    CLI::App* command = add_command(app, program, "bench", "how fast the engine is here");
    command->add_option("--only", a.groups, "groups of measures; all where none is named")
        ->check(CLI::IsMember(bench_groups()))
        ->expected(1)
        ->take_all();
    command->add_option("--largest", a.largest, "leave out states of more qubits")
        ->check(CLI::Range(8, 40));
    command->add_flag("--peers", a.peers,
                      "also the comparison that tests/bench/peers/table.py has measured");
    command->add_option("--peers-file", a.peers_file, "where that lies");
    add_bench_circuit(*command, program);
    command->callback([arguments, command, &program] {
        if (!command->get_subcommands().empty()) return; // `bench circuit` has its own
        program.command = [arguments, &program](Comm& comm) {
            run_bench(*arguments, program, comm);
        };
    });
}

} // namespace wavetrain
