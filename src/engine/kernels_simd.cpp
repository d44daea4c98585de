/// The kernels for every vector instruction set of this kind of processor.
// Scalable vectors have no fixed number of lanes, which the stored layout needs.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels_simd.cpp"
#include <hwy/foreach_target.h>

#include "kernels-inl.hpp"

#if HWY_ONCE
#include "simd_target.hpp"

#include <hwy/targets.h>

namespace wavetrain {
namespace {

HWY_EXPORT(single_table);
HWY_EXPORT(double_table);

/// Lets the next dispatch choose among `targets` only.
void restrict_targets(std::int64_t targets) {
    hwy::SetSupportedTargetsForTest(targets);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

std::int64_t bits_of(SimdTarget target) {
    switch (target) {
    case SimdTarget::sse4: return HWY_SSE4;
    case SimdTarget::avx2: return HWY_AVX2;
    case SimdTarget::avx512: return HWY_AVX3;
    case SimdTarget::neon: return HWY_NEON;
    case SimdTarget::scalar: break;
    }
    return 0;
}

} // namespace

bool simd_supported(SimdTarget target) {
    hwy::SetSupportedTargetsForTest(0); // what the processor has
    return target == SimdTarget::scalar ||
           (hwy::SupportedTargets() & HWY_TARGETS & bits_of(target)) != 0;
}

const KernelTable<float>& simd_single_table(SimdTarget target) {
    restrict_targets(bits_of(target));
    return HWY_DYNAMIC_DISPATCH(single_table)();
}

const KernelTable<double>& simd_double_table(SimdTarget target) {
    restrict_targets(bits_of(target));
    return HWY_DYNAMIC_DISPATCH(double_table)();
}

} // namespace wavetrain
#endif
