/// The kernels' tables by target.
#pragma once

#include "kernel_table.hpp"
#include "wavetrain/engine/simd.hpp"

namespace wavetrain {

bool simd_supported(SimdTarget target);
const KernelTable<float>& simd_single_table(SimdTarget target);
const KernelTable<double>& simd_double_table(SimdTarget target);
const KernelTable<float>& scalar_single_table();
const KernelTable<double>& scalar_double_table();

/// The tables of the target in use.
template <class Real> const KernelTable<Real>& kernels();
template <> const KernelTable<float>& kernels<float>();
template <> const KernelTable<double>& kernels<double>();

} // namespace wavetrain
