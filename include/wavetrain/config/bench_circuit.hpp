/// Timing one circuit, whatever it is.
#pragma once

#include "wavetrain/gradient/gradient.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace wavetrain {

/// What is timed: one pass over a batch of executions.
struct CircuitBench {
    Circuit circuit;
    std::vector<PauliSum> observables;
    std::vector<double> symbols;   ///< a value for each symbol of the circuit
    std::vector<std::string> vary; ///< inputs that differ within the batch; empty: all of them
    std::size_t batch = 1;
    bool gradient = false;
    Method method = Method::adjoint;
    Precision precision = Precision::single_precision;
    CompileOptions compile;
    int threads = 1;
    int repeat = 5;
};

struct CircuitTiming {
    double seconds_per_circuit = 0.0; ///< the best of all passes, binding included
    double compile_seconds = 0.0;
    std::uint64_t bytes = 0;    ///< of the states that one pass holds
    double flops = 0.0;         ///< of one circuit, by the cost model
    std::vector<double> values; ///< of the first execution: the expectations, or the derivatives of
                                ///< their sum in all symbols
};

/// Compiles once, then times `repeat` passes. Members of the batch differ by small amounts.
/// Gradient: one vector-Jacobian product of the sum of the observables, for all inputs.
CircuitTiming bench_circuit(const CircuitBench& bench);

} // namespace wavetrain
