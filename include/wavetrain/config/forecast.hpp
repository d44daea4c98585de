/// What a run would cost: memory, work, messages, time.
#pragma once

#include "wavetrain/config/config.hpp"

#include "wavetrain/compile/plan.hpp"

#include <string>
#include <vector>

namespace wavetrain {

/// States of one size that are simulated.
struct Execution {
    std::string layer; ///< of a config; empty for a circuit
    int qubits = 0;
    double count = 0;   ///< in one epoch, or 1 for a circuit
    std::string method; ///< "forward" or a gradient method
    std::size_t blocks = 0;
    double units = 0; ///< units of work that they are cut into
};

/// One epoch of a config, or one run of a circuit.
struct Forecast {
    int ranks = 1;
    int threads = 1;  ///< of each rank
    double bytes = 0; ///< of the states that a rank holds at once, at most
    double flops = 0;
    double messages = 0; ///< collective operations of each rank
    double seconds = 0;  ///< a rough estimate, at kFlopsPerSecond on each rank and thread
    std::vector<Execution> executions;
    std::vector<std::string> plans; ///< each quantum layer's plan as text
};

/// The rate that `seconds` assumes: what one ordinary core does in double precision.
constexpr double kFlopsPerSecond = 2.5e9;

/// Forecasts the first epoch of training a config on `ranks` ranks of `threads` threads. Executions
/// are counted as its batches will merge them; where a layer's inputs come from a frozen classical
/// layer, as if none were the same.
Forecast forecast_config(const Config& config, int ranks, int threads);
/// Forecasts one run of an OpenQASM circuit with its whole state.
Forecast forecast_circuit(const std::string& file, int ranks);

/// A plan as text: cones, layout, blocks.
std::string plan_text(const Plan& plan);

} // namespace wavetrain
