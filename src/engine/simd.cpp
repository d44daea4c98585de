/// The choice of the SIMD target: once for the process.
#include "wavetrain/engine/simd.hpp"

#include "simd_target.hpp"
#include "wavetrain/base/error.hpp"
#include "wavetrain/base/text.hpp"

#include <array>

namespace wavetrain {
namespace {

constexpr std::array kTargets{SimdTarget::scalar, SimdTarget::sse4, SimdTarget::avx2,
                              SimdTarget::avx512, SimdTarget::neon};

struct InUse {
    SimdTarget target;
    const KernelTable<float>* single;
    const KernelTable<double>* twice;
};

InUse tables_of(SimdTarget target) {
    if (target == SimdTarget::scalar)
        return {target, &scalar_single_table(), &scalar_double_table()};
    return {target, &simd_single_table(target), &simd_double_table(target)};
}

InUse& in_use() {
    static InUse tables = tables_of(simd_targets().back());
    return tables;
}

} // namespace

std::string_view simd_name(SimdTarget target) {
    constexpr std::array<std::string_view, 5> kNames{"scalar", "sse4", "avx2", "avx512", "neon"};
    return kNames[static_cast<std::size_t>(target)];
}

std::vector<SimdTarget> simd_targets() {
    std::vector<SimdTarget> found;
    for (SimdTarget target : kTargets)
        if (simd_supported(target)) found.push_back(target);
    return found;
}

void use_simd(std::string_view name) {
    const std::vector<SimdTarget> have = simd_targets();
    if (name == "auto") {
        in_use() = tables_of(have.back());
        return;
    }
    std::vector<std::string> names;
    for (SimdTarget target : kTargets) names.emplace_back(simd_name(target));
    for (SimdTarget target : have) {
        if (simd_name(target) != name) continue;
        in_use() = tables_of(target);
        return;
    }
    std::vector<std::string_view> own;
    for (SimdTarget target : have) own.push_back(simd_name(target));
    for (const std::string& known : names)
        if (known == name)
            fail(Kind::environment, "engine.simd = \"{}\": this processor has only: {}", name,
                 fmt::join(own, ", "));
    fail(Kind::usage, "engine.simd = \"{}\" does not exist{}; there are: {}", name,
         suggestion(name, names), fmt::join(names, ", "));
}

SimdTarget simd_in_use() { return in_use().target; }

template <> const KernelTable<float>& kernels<float>() { return *in_use().single; }
template <> const KernelTable<double>& kernels<double>() { return *in_use().twice; }

} // namespace wavetrain
