/// The measures of `wavetrain bench`.
#include "wavetrain/config/bench_suite.hpp"

#include "bench_epoch.hpp"
#include "wavetrain/base/json.hpp"
#include "wavetrain/base/random.hpp"
#include "wavetrain/circuit/templates.hpp"
#include "wavetrain/config/bench_circuit.hpp"
#include "wavetrain/engine/probe.hpp"
#include "wavetrain/io/atomic_file.hpp"

#include <algorithm>
#include <cmath>

namespace wavetrain {
namespace {

/// Passes: many where they are short.
int repeats(int qubits) { return qubits <= 12 ? 40 : qubits <= 18 ? 10 : 3; }

/// The circuit of a template with arbitrary angles, and a bench of it.
CircuitBench template_bench(const char* name, OptionMap options, int qubits) {
    CircuitBench bench;
    options["qubits"] = std::int64_t{qubits};
    bench.circuit = make_template(name, options);
    for (std::size_t s = 0; s < bench.circuit.symbols.size(); ++s)
        bench.symbols.push_back(0.1 + 0.37 * static_cast<double>(s % 17));
    bench.repeat = repeats(qubits);
    return bench;
}

/// The tutorial's network as its users run it: one datum, the excitation of qubit 0.
CircuitBench qcnn_bench(const char* name, int qubits) {
    CircuitBench bench = template_bench(name, {}, qubits);
    for (int q = 0; q < qubits; ++q)
        bench.symbols[static_cast<std::size_t>(q)] = q == 0 ? 0.7 : 0.0;
    bench.vary = {"excitation"};
    if (std::string_view(name) == "qcnn") {
        bench.observables = {parse_pauli_sum(format("Z{}", qubits - 1))};
    } else {
        for (int q = qubits / 2; q < qubits; ++q)
            bench.observables.push_back(parse_pauli_sum(format("Z{}", q)));
    }
    return bench;
}

PauliSum sum_of_z(int qubits) {
    std::string text;
    for (int q = 0; q < qubits; ++q) text += format("{}Z{}", q == 0 ? "" : " + ", q);
    return parse_pauli_sum(text);
}

/// Appends the unitary that Gram and Schmidt make of a random matrix, on qubits q and q + 1.
void add_unitary(Circuit& circuit, Matrix m, int q) {
    for (Eigen::Index c = 0; c < m.cols(); ++c) {
        for (int again = 0; again < 2; ++again) // twice: orthogonal to rounding
            for (Eigen::Index b = 0; b < c; ++b) m.col(c) -= m.col(b).dot(m.col(c)) * m.col(b);
        m.col(c) /= m.col(c).norm();
    }
    Operation operation;
    operation.gate = gate_id("unitary");
    operation.targets = {Qubit{q}, Qubit{q + 1}};
    operation.matrix = static_cast<int>(circuit.matrices.size());
    circuit.matrices.push_back(std::move(m));
    circuit.operations.push_back(std::move(operation));
}

/// Layers of random two-qubit unitaries on neighbours, even pairs and odd pairs in turn.
CircuitBench brickwork_bench(int qubits, int layers) {
    CircuitBench bench;
    bench.circuit.qubits = qubits;
    std::uint64_t next = 0;
    for (int layer = 0; layer < layers; ++layer)
        for (int q = layer % 2; q + 1 < qubits; q += 2) {
            Matrix m(4, 4);
            for (Eigen::Index i = 0; i < 16; ++i) {
                m(i) = {random_normal(5, Purpose::checks, next),
                        random_normal(5, Purpose::checks, next + 1)};
                next += 2;
            }
            add_unitary(bench.circuit, std::move(m), q);
        }
    bench.observables = {sum_of_z(qubits)};
    bench.repeat = repeats(qubits);
    return bench;
}

class Suite {
public:
    Suite(int largest, int threads, const std::function<void(const BenchRow&)>& show)
        : largest_(largest), threads_(threads), show_(show) {}

    void run(const std::string& group) {
        if (group == "kernels") kernels();
        if (group == "forward") networks(false);
        if (group == "gradient") networks(true);
        if (group == "ansatz") ansatz();
        if (group == "shift") shift();
        if (group == "compile") compiling();
        if (group == "growth") growth();
        if (group == "headline") headline();
    }

    std::vector<BenchRow> rows() && { return std::move(rows_); }

private:
    void add(const std::string& name, double value, const std::string& unit,
             const std::string& target = "") {
        rows_.push_back({name, value, unit, "", std::nullopt, target});
        show_(rows_.back());
    }

    void time(const std::string& name, const CircuitBench& bench) {
        if (bench.circuit.qubits > largest_) return;
        add(name, bench_circuit(bench).seconds_per_circuit, "s");
    }

    void kernels() {
        for (const ProbeRow& row : probe_kernels()) add(row.name, row.value, row.unit);
    }

    void networks(bool gradient) {
        const char* what = gradient ? "gradient" : "forward";
        for (int qubits : {8, 12, 16, 20, 23}) {
            CircuitBench bench = qcnn_bench("qcnn", qubits);
            bench.gradient = gradient;
            bench.batch = qubits <= 12 ? 64 : 1;
            time(format("{}: full QCNN, n = {}{}", what, qubits,
                        bench.batch > 1 ? " (batch 64)" : ""),
                 bench);
        }
        if (!gradient) return;
        for (const char* name : {"qcnn", "qcnn_layer"}) {
            CircuitBench bench = qcnn_bench(name, 23);
            bench.gradient = true;
            bench.compile.light_cones = "off";
            time(format("gradient: whole state of 23 qubits, {}",
                        bench.observables.size() > 1 ? "multi-readout" : "full"),
                 bench);
        }
    }

    void ansatz() {
        for (int qubits : {20, 23})
            for (const bool gradient : {false, true}) {
                const char* what = gradient ? "gradient" : "forward";
                CircuitBench bench =
                    template_bench("hardware_efficient", {{"layers", std::int64_t{10}}}, qubits);
                bench.observables = {sum_of_z(qubits)};
                bench.gradient = gradient;
                time(format("{}: hardware-efficient ansatz, 10 layers, n = {}", what, qubits),
                     bench);
                if (gradient) continue;
                time(format("{}: brickwork of random unitaries, 10 layers, n = {}", what, qubits),
                     brickwork_bench(qubits, 10));
            }
    }

    void shift() {
        for (int qubits : {8, 12}) {
            CircuitBench bench = qcnn_bench("qcnn", qubits);
            bench.gradient = true;
            bench.method = Method::parameter_shift;
            bench.batch = 64;
            bench.repeat = 3;
            const double seconds = bench_circuit(bench).seconds_per_circuit;
            double shifts = 0;
            for (const Operation& operation : bench.circuit.operations)
                for (std::size_t a = 0; a < operation.angles.size(); ++a)
                    if (!operation.angles[a].is_constant())
                        shifts += static_cast<double>(
                            shift_rule(frequencies(operation, static_cast<int>(a))).size());
            add(format("parameter shift: one shifted execution, full QCNN, n = {} (batch 64)",
                       qubits),
                seconds / shifts, "s");
        }
    }

    void compiling() {
        for (int qubits : {8, 23}) {
            CircuitBench bench = qcnn_bench("qcnn", qubits);
            bench.repeat = 1;
            if (qubits > largest_) continue;
            add(format("compile: full QCNN, n = {}", qubits), bench_circuit(bench).compile_seconds,
                "s", qubits == 8 ? "<= 0.01 s" : "<= 1 s");
        }
    }

    /// How time grows with the qubits, where nothing is saved.
    void growth() {
        std::vector<double> seconds;
        int last = 16;
        for (int qubits = 16; qubits <= std::min(24, largest_); qubits += 2) {
            CircuitBench bench = qcnn_bench("qcnn_layer", qubits);
            bench.gradient = true;
            bench.compile.light_cones = "off";
            bench.compile.late_qubits = "off";
            // Gates grow with the qubits as well: seconds per gate.
            seconds.push_back(bench_circuit(bench).seconds_per_circuit /
                              static_cast<double>(bench.circuit.operations.size()));
            last = qubits;
        }
        if (seconds.size() > 1)
            add(format("growth: log2 of seconds a gate, slope per qubit, n = 16 ... {}", last),
                std::log2(seconds.back() / seconds.front()) / (last - 16), "", "1.0 +- 0.15");
    }

    void headline() {
        for (int qubits : {23, 100})
            add(format("headline: one epoch of configs/headline_{}q.toml, {} threads", qubits,
                       threads_),
                headline_epoch_seconds(qubits, threads_), "s", qubits == 23 ? "<= 2 s" : "<= 5 s");
    }

    int largest_;
    int threads_;
    const std::function<void(const BenchRow&)>& show_;
    std::vector<BenchRow> rows_;
};

} // namespace

const std::vector<std::string>& bench_groups() {
    static const std::vector<std::string> groups{"kernels", "forward", "gradient", "ansatz",
                                                 "shift",   "compile", "growth",   "headline"};
    return groups;
}

std::vector<BenchRow> bench_suite(const std::vector<std::string>& groups, int largest, int threads,
                                  const std::function<void(const BenchRow&)>& show) {
    Suite suite(largest, threads, show);
    for (const std::string& group : bench_groups())
        if (groups.empty() || std::find(groups.begin(), groups.end(), group) != groups.end())
            suite.run(group);
    return std::move(suite).rows();
}

std::vector<BenchRow> read_peer_rows(const std::string& file) {
    std::string text;
    try {
        text = read_text(file);
    } catch (const Error& error) {
        throw Error(error.kind(), format("{}; tests/bench/peers/table.py --json measures and "
                                         "prints what belongs there",
                                         error.what()));
    }
    const Json table = Json::parse(text, file);
    std::vector<BenchRow> rows;
    for (std::size_t i = 0; i < table.at("rows").size(); ++i) {
        const Json json = table.at("rows").at(i);
        BenchRow& row = rows.emplace_back();
        row.name = json.at("name").text();
        row.value = json.at("value").is_null() ? 0.0 : json.at("value").number();
        row.unit = json.at("unit").text();
        if (!json.at("peer").is_null()) row.peer = json.at("peer").text();
        if (!json.at("ratio").is_null()) row.ratio = json.at("ratio").number();
        if (!json.at("target").is_null()) row.target = json.at("target").text();
    }
    return rows;
}

} // namespace wavetrain
