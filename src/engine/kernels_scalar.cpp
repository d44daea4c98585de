/// The kernels without vectors: what every target is held against.
#define HWY_COMPILE_ONLY_SCALAR
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels_scalar.cpp"
#include <hwy/foreach_target.h>

#include "kernels-inl.hpp"

#if HWY_ONCE
#include "simd_target.hpp"

namespace wavetrain {

const KernelTable<float>& scalar_single_table() { return HWY_STATIC_DISPATCH(single_table)(); }
const KernelTable<double>& scalar_double_table() { return HWY_STATIC_DISPATCH(double_table)(); }

} // namespace wavetrain
#endif
