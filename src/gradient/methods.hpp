/// The methods behind differentiate().
#pragma once

#include "wavetrain/gradient/gradient.hpp"

namespace wavetrain {

template <class Real> ConeGradient differentiate_adjoint(const GradientJob& job, int threads);
template <class Real> ConeGradient differentiate_by_shift(const GradientJob& job, int threads);
ConeGradient differentiate_by_differences(const GradientJob& job);

/// Sum over j of upstream[j] * <O_j>.
inline double weighted(std::span<const double> upstream, std::span<const double> values) {
    double sum = 0;
    for (std::size_t j = 0; j < values.size(); ++j) sum += upstream[j] * values[j];
    return sum;
}

} // namespace wavetrain
