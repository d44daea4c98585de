/// The kernels of blocks, and what all kernels share; once for every SIMD target.
// No include guard of the usual kind: it is read once per target.
#include "kernel_table.hpp"

#include <hwy/highway.h>

#include <bit>
#include <cmath>

HWY_BEFORE_NAMESPACE();
namespace wavetrain {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// Bases of a run whose sums are taken in Real.
constexpr std::size_t kSumRun = 32;
/// Groups of a chunk of diagonal_sums() and weigh(): a power of two.
constexpr std::size_t kChunk = 64;

template <class Real> using Tag = hn::CappedTag<Real, kLanes>;

HWY_INLINE std::size_t base_of(const Grid& grid, std::size_t number) {
    for (int i = 0; i < grid.fixed_count; ++i) {
        const std::size_t low = (std::size_t{1} << grid.fixed[static_cast<std::size_t>(i)]) - 1;
        number = ((number & ~low) << 1) | (number & low);
    }
    return number | grid.value;
}

HWY_INLINE bool odd(std::size_t bits) { return (std::popcount(bits) & 1) != 0; }

/// Exchanges lanes: lane i gets what lane i xor mask had.
template <class D> struct Exchange {
    using Real = hn::TFromD<D>;
    using Indices =
        decltype(hn::SetTableIndices(D(), static_cast<hwy::MakeSigned<Real>*>(nullptr)));

    HWY_INLINE Exchange(D d, unsigned mask)
        : indices(make(d, mask)), outer(mask & ~(hn::Lanes(d) - 1)) {}

    static HWY_INLINE Indices make(D d, unsigned mask) {
        const std::size_t n = hn::Lanes(d);
        HWY_ALIGN hwy::MakeSigned<Real> numbers[kLanes];
        for (std::size_t i = 0; i < n; ++i)
            numbers[i] = static_cast<hwy::MakeSigned<Real>>(i ^ (mask & (n - 1)));
        return hn::SetTableIndices(d, numbers);
    }

    /// The part at `h` of kLanes numbers.
    HWY_INLINE hn::Vec<D> load(const Real* numbers, std::size_t h) const {
        return hn::TableLookupLanes(hn::Load(D(), numbers + (h ^ outer)), indices);
    }

    Indices indices;
    std::size_t outer; // exchanges of whole vectors
};

/// Rows and terms of a block.
template <class D, int Vertical, int LaneTargets> struct Terms {
    static constexpr int kRows = 1 << Vertical;
    static constexpr int kExchanges = 1 << LaneTargets;
    static constexpr int kTerms = kRows * kExchanges;
    static_assert(kTerms <= 4);
};

/// The exchanges of lanes of a block; the first is none.
template <class D> struct Exchanges {
    HWY_INLINE explicit Exchanges(const BlockTask& task)
        : all{Exchange<D>(D(), 0), Exchange<D>(D(), task.lane_masks[1]),
              Exchange<D>(D(), task.lane_masks[2]), Exchange<D>(D(), task.lane_masks[3])} {}

    Exchange<D> all[4];
};

template <class Real, int Vertical, int LaneTargets>
HWY_INLINE void apply_base(const BlockTask& task, const Exchanges<Tag<Real>>& exchanges,
                           const Real* HWY_RESTRICT matrix, Real* HWY_RESTRICT psi,
                           std::size_t base) {
    const Tag<Real> d;
    using V = hn::Vec<Tag<Real>>;
    using T = Terms<Tag<Real>, Vertical, LaneTargets>;
    const std::size_t n = hn::Lanes(d);
    Real* row[T::kRows];
    for (int r = 0; r < T::kRows; ++r)
        row[r] = psi + (base + task.offsets[static_cast<std::size_t>(r)]) * kGroupReals;
    // Where a group is several vectors and lanes are exchanged, stores would overtake loads.
    HWY_ALIGN Real copy[T::kRows * kGroupReals];
    const Real* source[T::kRows];
    for (int r = 0; r < T::kRows; ++r) {
        source[r] = row[r];
        if (LaneTargets > 0 && n < kLanes) {
            for (std::size_t i = 0; i < kGroupReals; ++i)
                copy[static_cast<std::size_t>(r) * kGroupReals + i] = row[r][i];
            source[r] = copy + static_cast<std::size_t>(r) * kGroupReals;
        }
    }
    for (std::size_t h = 0; h < kLanes; h += n) {
        V re[T::kTerms];
        V im[T::kTerms];
        for (int r = 0; r < T::kRows; ++r)
            for (int k = 0; k < T::kExchanges; ++k) {
                const int t = r * T::kExchanges + k;
                if (LaneTargets == 0 || k == 0) {
                    re[t] = hn::Load(d, source[r] + h);
                    im[t] = hn::Load(d, source[r] + kLanes + h);
                } else {
                    re[t] = exchanges.all[k].load(source[r], h);
                    im[t] = exchanges.all[k].load(source[r] + kLanes, h);
                }
            }
        const Real* entry = matrix + h;
        for (int r = 0; r < T::kRows; ++r) {
            // Four chains, joined at the end: additions need not wait for one another.
            V m_re = hn::Load(d, entry);
            V m_im = hn::Load(d, entry + kLanes);
            V rr = hn::Mul(m_re, re[0]);
            V ii = hn::Mul(m_im, im[0]);
            V ri = hn::Mul(m_re, im[0]);
            V ir = hn::Mul(m_im, re[0]);
            for (int t = 1; t < T::kTerms; ++t) {
                m_re = hn::Load(d, entry + static_cast<std::size_t>(t) * kGroupReals);
                m_im = hn::Load(d, entry + static_cast<std::size_t>(t) * kGroupReals + kLanes);
                rr = hn::MulAdd(m_re, re[t], rr);
                ii = hn::MulAdd(m_im, im[t], ii);
                ri = hn::MulAdd(m_re, im[t], ri);
                ir = hn::MulAdd(m_im, re[t], ir);
            }
            hn::Store(hn::Sub(rr, ii), d, row[r] + h);
            hn::Store(hn::Add(ri, ir), d, row[r] + kLanes + h);
            entry += T::kTerms * kGroupReals;
        }
    }
}

template <class Real, int Vertical, int LaneTargets>
HWY_NOINLINE void apply_as(const BlockTask& task, const Real* HWY_RESTRICT matrix,
                           Real* HWY_RESTRICT psi, std::size_t first, std::size_t last) {
    const Exchanges<Tag<Real>> exchanges(task);
    for (std::size_t number = first; number < last; ++number)
        apply_base<Real, Vertical, LaneTargets>(task, exchanges, matrix, psi,
                                                base_of(task.grid, number));
}

/// One run of bases: sums in Real, then added to `sums` in double.
template <class Real, int Vertical, int LaneTargets>
HWY_INLINE void transition_run(const BlockTask& task, const Exchanges<Tag<Real>>& exchanges,
                               const Real* HWY_RESTRICT bra, const Real* HWY_RESTRICT ket,
                               std::size_t first, std::size_t last, double* HWY_RESTRICT sums) {
    const Tag<Real> d;
    using V = hn::Vec<Tag<Real>>;
    using T = Terms<Tag<Real>, Vertical, LaneTargets>;
    const std::size_t n = hn::Lanes(d);
    std::size_t bases[kSumRun];
    for (std::size_t number = first; number < last; ++number)
        bases[number - first] = base_of(task.grid, number);
    HWY_ALIGN Real part[T::kTerms * kGroupReals];
    for (int r = 0; r < T::kRows; ++r) {
        for (std::size_t h = 0; h < kLanes; h += n) {
            V sum_re[T::kTerms];
            V sum_im[T::kTerms];
            for (int t = 0; t < T::kTerms; ++t) sum_re[t] = sum_im[t] = hn::Zero(d);
            for (std::size_t i = 0; i < last - first; ++i) {
                const Real* b =
                    bra + (bases[i] + task.offsets[static_cast<std::size_t>(r)]) * kGroupReals + h;
                const V b_re = hn::Load(d, b);
                const V b_im = hn::Load(d, b + kLanes);
                for (int c = 0; c < T::kRows; ++c) {
                    const Real* k =
                        ket + (bases[i] + task.offsets[static_cast<std::size_t>(c)]) * kGroupReals;
                    for (int e = 0; e < T::kExchanges; ++e) {
                        const int t = c * T::kExchanges + e;
                        const bool straight = LaneTargets == 0 || e == 0;
                        const V k_re = straight ? hn::Load(d, k + h) : exchanges.all[e].load(k, h);
                        const V k_im = straight ? hn::Load(d, k + kLanes + h)
                                                : exchanges.all[e].load(k + kLanes, h);
                        sum_re[t] = hn::MulAdd(b_re, k_re, sum_re[t]);
                        sum_im[t] = hn::MulAdd(b_re, k_im, sum_im[t]);
                        sum_re[t] = hn::MulAdd(b_im, k_im, sum_re[t]);
                        sum_im[t] = hn::NegMulAdd(b_im, k_re, sum_im[t]);
                    }
                }
            }
            for (int t = 0; t < T::kTerms; ++t) {
                hn::Store(sum_re[t], d, part + static_cast<std::size_t>(t) * kGroupReals + h);
                hn::Store(sum_im[t], d,
                          part + static_cast<std::size_t>(t) * kGroupReals + kLanes + h);
            }
        }
        for (std::size_t i = 0; i < T::kTerms * kGroupReals; ++i)
            sums[i] += static_cast<double>(part[i]);
        sums += T::kTerms * kGroupReals;
    }
}

template <class Real, int Vertical, int LaneTargets>
HWY_NOINLINE void transition_as(const BlockTask& task, const Real* bra, const Real* ket,
                                std::size_t first, std::size_t last, double* sums) {
    const Exchanges<Tag<Real>> exchanges(task);
    for (std::size_t start = first; start < last; start += kSumRun)
        transition_run<Real, Vertical, LaneTargets>(task, exchanges, bra, ket, start,
                                                    HWY_MIN(last, start + kSumRun), sums);
}

template <class Real, int Vertical, int LaneTargets>
HWY_NOINLINE void step_back_as(const BlockTask& task, const Real* matrix, Real* ket, Real* bra,
                               std::size_t first, std::size_t last, double* sums) {
    const Exchanges<Tag<Real>> exchanges(task);
    for (std::size_t start = first; start < last; start += kSumRun) {
        const std::size_t end = HWY_MIN(last, start + kSumRun);
        for (std::size_t number = start; number < end; ++number)
            apply_base<Real, Vertical, LaneTargets>(task, exchanges, matrix, ket,
                                                    base_of(task.grid, number));
        if (sums)
            transition_run<Real, Vertical, LaneTargets>(task, exchanges, bra, ket, start, end,
                                                        sums);
        for (std::size_t number = start; number < end; ++number)
            apply_base<Real, Vertical, LaneTargets>(task, exchanges, matrix, bra,
                                                    base_of(task.grid, number));
    }
}

/// Calls the instance for a task's targets.
#define WAVETRAIN_DISPATCH(FUNCTION, ...)                                                          \
    switch (task.vertical * 3 + task.lane_targets) {                                               \
    case 0: return FUNCTION<Real, 0, 0>(__VA_ARGS__);                                              \
    case 1: return FUNCTION<Real, 0, 1>(__VA_ARGS__);                                              \
    case 2: return FUNCTION<Real, 0, 2>(__VA_ARGS__);                                              \
    case 3: return FUNCTION<Real, 1, 0>(__VA_ARGS__);                                              \
    case 4: return FUNCTION<Real, 1, 1>(__VA_ARGS__);                                              \
    default: return FUNCTION<Real, 2, 0>(__VA_ARGS__);                                             \
    }

template <class Real>
void apply(const BlockTask& task, const Real* matrix, Real* psi, std::size_t first,
           std::size_t last) {
    WAVETRAIN_DISPATCH(apply_as, task, matrix, psi, first, last)
}

template <class Real>
void transition(const BlockTask& task, const Real* bra, const Real* ket, std::size_t first,
                std::size_t last, double* sums) {
    WAVETRAIN_DISPATCH(transition_as, task, bra, ket, first, last, sums)
}

template <class Real>
void step_back(const BlockTask& task, const Real* matrix, Real* ket, Real* bra, std::size_t first,
               std::size_t last, double* sums) {
    WAVETRAIN_DISPATCH(step_back_as, task, matrix, ket, bra, first, last, sums)
}

#undef WAVETRAIN_DISPATCH

template <class Real>
void apply_diagonal(const BlockTask& task, const Real* factors, Real* psi, std::size_t first,
                    std::size_t last) {
    const Tag<Real> d;
    const std::size_t n = hn::Lanes(d);
    const std::size_t rows = std::size_t{1} << task.vertical;
    // Rows that only meet ones (of a CZ: half of them) are left alone.
    bool changes[4] = {};
    for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t i = 0; i < kLanes; ++i)
            changes[r] = changes[r] || factors[r * kGroupReals + i] != Real{1} ||
                         factors[r * kGroupReals + kLanes + i] != Real{0};
    for (std::size_t number = first; number < last; ++number) {
        const std::size_t base = base_of(task.grid, number);
        for (std::size_t r = 0; r < rows; ++r) {
            if (!changes[r]) continue;
            Real* x = psi + (base + task.offsets[r]) * kGroupReals;
            for (std::size_t h = 0; h < kLanes; h += n) {
                const auto f_re = hn::Load(d, factors + r * kGroupReals + h);
                const auto f_im = hn::Load(d, factors + r * kGroupReals + kLanes + h);
                const auto re = hn::Load(d, x + h);
                const auto im = hn::Load(d, x + kLanes + h);
                hn::Store(hn::Sub(hn::Mul(f_re, re), hn::Mul(f_im, im)), d, x + h);
                hn::Store(hn::MulAdd(f_re, im, hn::Mul(f_im, re)), d, x + kLanes + h);
            }
        }
    }
}

template <class Real>
void swap_rows(const BlockTask& task, int a, int b, Real* psi, std::size_t first,
               std::size_t last) {
    const Tag<Real> d;
    const std::size_t n = hn::Lanes(d);
    for (std::size_t number = first; number < last; ++number) {
        const std::size_t base = base_of(task.grid, number);
        Real* x = psi + (base + task.offsets[static_cast<std::size_t>(a)]) * kGroupReals;
        Real* y = psi + (base + task.offsets[static_cast<std::size_t>(b)]) * kGroupReals;
        for (std::size_t i = 0; i < kGroupReals; i += n) {
            const auto left = hn::Load(d, x + i);
            const auto right = hn::Load(d, y + i);
            hn::Store(right, d, x + i);
            hn::Store(left, d, y + i);
        }
    }
}

} // namespace
} // namespace HWY_NAMESPACE
} // namespace wavetrain
HWY_AFTER_NAMESPACE();
