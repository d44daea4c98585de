/// Small dense complex matrices: gates, fused blocks.
#pragma once

#include <Eigen/Core>
#include <complex>

namespace wavetrain {

using Complex = std::complex<double>;

/// A dense complex matrix of at most 64 x 64.
using Matrix = Eigen::MatrixXcd;

} // namespace wavetrain
