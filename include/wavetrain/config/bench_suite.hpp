/// The benchmark that `wavetrain bench` prints.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace wavetrain {

/// One measure. `peer`, `ratio` and `target` are filled in where a peer was measured beside it.
struct BenchRow {
    std::string name;
    double value = 0.0;
    std::string unit;
    std::string peer;
    std::optional<double> ratio;
    std::string target;
};

/// The groups of measures: kernels, forward, gradient, ansatz, shift, compile, growth, headline.
const std::vector<std::string>& bench_groups();

/// Measures the groups named (all if none), on one thread but for the headline, which takes
/// `threads`; shows each row as soon as it is there. `largest` leaves out states of more qubits.
std::vector<BenchRow> bench_suite(const std::vector<std::string>& groups, int largest, int threads,
                                  const std::function<void(const BenchRow&)>& show);

/// The rows that tests/bench/peers/table.py --json has printed into a file: measures beside other
/// simulators. `environment` error if it cannot be read.
std::vector<BenchRow> read_peer_rows(const std::string& file);

} // namespace wavetrain
