/// One circuit in, numbers out: expectations, gradients, amplitudes, samples.
#pragma once

#include "wavetrain/gradient/gradient.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace wavetrain {

/// What is asked of a circuit.
struct SimulationRequest {
    std::vector<PauliSum> observables;
    std::vector<double> symbols; ///< a value for each symbol of the circuit
    std::optional<Method> gradient;
    bool amplitudes = false;
    std::uint64_t samples = 0;
    std::uint64_t seed = 1;
    Precision precision = Precision::double_precision;
    CompileOptions compile;
    int threads = 1;
    /// Eager plans only: called after every gate with its index, the norm and the expectations.
    std::function<void(std::size_t gate, double norm, const std::vector<double>& values)> trace;
};

/// The answers; what was not asked for is empty.
struct SimulationResult {
    std::vector<double> expectations;
    std::vector<std::vector<double>> gradients;     ///< per observable and symbol
    std::vector<Complex> amplitudes;                ///< qubit 0 is the least significant bit
    std::map<std::uint64_t, std::uint64_t> samples; ///< basis state -> how often
};

/// Simulates. Expectations and gradients use the plan's cones; amplitudes and samples the whole
/// state. Errors: what compile() and check_memory() refuse.
SimulationResult simulate(const Circuit& circuit, const SimulationRequest& request);

} // namespace wavetrain
