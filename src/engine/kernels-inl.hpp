/// The kernels, once for every SIMD target (Highway compiles this file several times). Vectors may
/// be shorter than a group's kLanes, never longer: loops over the parts of a group, not the target,
/// decide what a group is.
// No include guard of the usual kind: it is read once per target.
#include "kernels_words-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace wavetrain {
namespace HWY_NAMESPACE {
namespace {

template <class Real> const KernelTable<Real>& make_table() {
    static const KernelTable<Real> table{hwy::TargetName(HWY_TARGET),
                                         apply<Real>,
                                         apply_diagonal<Real>,
                                         swap_rows<Real>,
                                         transition<Real>,
                                         step_back<Real>,
                                         rotate_word<Real>,
                                         word_element<Real>,
                                         add_word<Real>,
                                         diagonal_sums<Real>,
                                         weigh<Real>,
                                         enter<Real>,
                                         leave<Real>};
    return table;
}

const KernelTable<float>& single_table() { return make_table<float>(); }
const KernelTable<double>& double_table() { return make_table<double>(); }

} // namespace
} // namespace HWY_NAMESPACE
} // namespace wavetrain
HWY_AFTER_NAMESPACE();
