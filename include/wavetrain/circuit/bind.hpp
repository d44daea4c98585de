/// Values for a circuit's inputs, as they are written on a command line.
#pragma once

#include "wavetrain/circuit/circuit.hpp"

#include <span>
#include <string>
#include <vector>

namespace wavetrain {

/// The values of all symbols from texts "theta=0.3", "w=0.1,0.2" (one number per element). With
/// `all_needed`, an input without a value is an error, otherwise its symbols are NaN. `usage`
/// errors: no such input (with the nearest name), an input bound twice, a wrong count, not a finite
/// number. With `all_needed` also a `numeric` error: an angle that is not finite at these values.
std::vector<double> bind_symbols(const Circuit& circuit, std::span<const std::string> bindings,
                                 bool all_needed);

} // namespace wavetrain
