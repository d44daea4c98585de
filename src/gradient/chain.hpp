/// The chain rule: from derivatives in the angles of gates to derivatives in symbols.
#pragma once

#include "wavetrain/gradient/gradient.hpp"

namespace wavetrain {

/// An empty result for a job.
ConeGradient empty_gradient(const GradientJob& job);

/// True if some angle of the operation depends on a symbol whose derivative is asked for.
bool is_wanted(const GradientJob& job, int operation);
bool is_wanted(const GradientJob& job, int operation, std::size_t angle);
bool is_wanted(const GradientJob& job, const Block& block);

/// Adds derivative * (d angle / d symbol) for every wanted symbol of an angle of an operation, at
/// the symbol values of `sample`.
void add_angle(ConeGradient& gradient, const GradientJob& job, int operation, std::size_t angle,
               std::size_t sample, double derivative);

} // namespace wavetrain
