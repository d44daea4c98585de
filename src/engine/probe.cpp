/// Timing the kernels.
#include "wavetrain/engine/probe.hpp"

#include "execute.hpp"
#include "wavetrain/base/text.hpp"

#include <algorithm>
#include <chrono>

namespace wavetrain {
namespace {

constexpr int kSmall = 11; // amplitudes that fit into the first-level cache
constexpr int kLarge = 23; // that fit into no cache

/// Seconds of the fastest of some calls of `body`, each of which runs `count` times.
template <class Body> double best_seconds(int count, Body&& body) {
    using Clock = std::chrono::steady_clock;
    double best = 1e300;
    for (int repeat = 0; repeat < 5; ++repeat) {
        const auto start = Clock::now();
        for (int i = 0; i < count; ++i) body();
        best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
    }
    return best / count;
}

/// A state and an instruction on two of its positions.
struct Setup {
    State<float> ket;
    State<float> bra;
    Instruction instruction;
    Slot<float> slot;
    std::vector<double> sums;

    Setup(int qubits, std::vector<Position> targets) : ket(qubits), bra(qubits) {
        ket.reset(qubits);
        bra.reset(qubits);
        Block block;
        block.targets = std::move(targets);
        const auto made =
            make_instructions(block, qubits, all_positions(qubits), Lanes::amplitudes).front();
        instruction = made.instruction;
        slot.pattern = made.pattern;
        slot.op = instruction.op;
        slot.target_count = static_cast<int>(block.targets.size());
        BoundBlock numbers;
        const auto side = Eigen::Index{1} << slot.target_count;
        numbers.matrix = Matrix::Identity(side, side);
        fill_slot(slot, block, numbers, -1);
        sums.resize(sums_length(slot.op, slot.target_count), 0.0);
    }
};

} // namespace

std::vector<ProbeRow> probe_kernels() {
    std::vector<ProbeRow> rows;
    // A complex multiplication and addition are eight operations.
    const auto rate = [](double flops_per_amplitude, int qubits, double seconds) {
        return flops_per_amplitude * static_cast<double>(std::size_t{1} << qubits) / seconds * 1e-9;
    };
    const auto dense = [&](const std::string& name, int qubits, std::vector<Position> targets,
                           int count) {
        Setup setup(qubits, std::move(targets));
        const double side = static_cast<double>(std::size_t{1} << setup.slot.target_count);
        const double seconds = best_seconds(count, [&] {
            execute(setup.instruction, setup.slot, 0, setup.ket.data(), Lanes::amplitudes);
        });
        rows.push_back({name, rate(8 * side, qubits, seconds), "GFLOP/s"});
        return seconds;
    };
    dense("kernel: dense two-qubit, in cache", kSmall, {{5}, {8}}, 2000);
    dense("kernel: dense two-qubit, one lane position, in cache", kSmall, {{1}, {8}}, 2000);
    dense("kernel: dense two-qubit, two lane positions, in cache", kSmall, {{0}, {1}}, 2000);
    dense("kernel: dense one-qubit, in cache", kSmall, {{6}}, 2000);
    const double large = dense("kernel: dense two-qubit, in memory", kLarge, {{12}, {20}}, 3);
    rows.push_back({"memory: a sweep of the dense two-qubit kernel",
                    rate(2 * 2 * sizeof(float), kLarge, large), "GB/s"});
    Setup back(kSmall, {{5}, {8}});
    const double seconds = best_seconds(2000, [&] {
        execute_back(back.instruction, back.slot, 0, back.ket.data(), back.bra.data(),
                     Lanes::amplitudes, back.sums.data());
    });
    rows.push_back({"kernel: block undone on two states with its transition matrix, in cache",
                    rate(3 * 8 * 4, kSmall, seconds), "GFLOP/s"});
    return rows;
}

} // namespace wavetrain
