/// The kernels of Pauli words, of observables and of qubits that enter; once for every SIMD target.
// No include guard of the usual kind: it is read once per target.
#include "kernels_blocks-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace wavetrain {
namespace HWY_NAMESPACE {
namespace {

/// out = C a + sign F exchanged(b), for one group.
template <class Real>
HWY_INLINE void rotate_group(const Exchange<Tag<Real>>& exchange, const Real* cosine,
                             const Real* factor, bool negative, const Real* a, const Real* b,
                             Real* out) {
    const Tag<Real> d;
    const std::size_t n = hn::Lanes(d);
    const auto sign = hn::Set(d, negative ? Real{-1} : Real{1});
    for (std::size_t h = 0; h < kLanes; h += n) {
        const auto c = hn::Load(d, cosine + h);
        const auto f_re = hn::Mul(sign, hn::Load(d, factor + h));
        const auto f_im = hn::Mul(sign, hn::Load(d, factor + kLanes + h));
        const auto re = exchange.load(b, h);
        const auto im = exchange.load(b + kLanes, h);
        const auto old_re = hn::Load(d, a + h);
        const auto old_im = hn::Load(d, a + kLanes + h);
        const auto new_re = hn::NegMulAdd(f_im, im, hn::MulAdd(f_re, re, hn::Mul(c, old_re)));
        const auto new_im = hn::MulAdd(f_im, re, hn::MulAdd(f_re, im, hn::Mul(c, old_im)));
        hn::Store(new_re, d, out + h);
        hn::Store(new_im, d, out + kLanes + h);
    }
}

template <class Real>
void rotate_word(const GroupWord& word, std::size_t mask, std::size_t value, const Real* cosine,
                 const Real* factor, Real* psi, std::size_t groups) {
    const Exchange<Tag<Real>> exchange(Tag<Real>(), word.x_lane);
    HWY_ALIGN Real first[kGroupReals];
    HWY_ALIGN Real second[kGroupReals];
    for (std::size_t i = 0; i < groups; ++i) {
        const std::size_t j = i ^ word.x;
        if (j < i || (i & mask) != value) continue; // each pair once
        Real* x = psi + i * kGroupReals;
        Real* y = psi + j * kGroupReals;
        rotate_group<Real>(exchange, cosine, factor, odd(j & word.z), x, y, first);
        if (j != i) {
            rotate_group<Real>(exchange, cosine, factor, odd(i & word.z), y, x, second);
            for (std::size_t k = 0; k < kGroupReals; ++k) y[k] = second[k];
        }
        for (std::size_t k = 0; k < kGroupReals; ++k) x[k] = first[k];
    }
}

template <class Real>
void word_element(const GroupWord& word, std::size_t mask, std::size_t value, const Real* bra,
                  const Real* ket, std::size_t groups, double* sums) {
    const Tag<Real> d;
    const Exchange<Tag<Real>> exchange(d, word.x_lane);
    const std::size_t n = hn::Lanes(d);
    HWY_ALIGN Real part[kGroupReals];
    for (std::size_t start = 0; start < groups; start += kSumRun) {
        const std::size_t end = HWY_MIN(groups, start + kSumRun);
        for (std::size_t h = 0; h < kLanes; h += n) {
            auto sum_re = hn::Zero(d);
            auto sum_im = hn::Zero(d);
            for (std::size_t j = start; j < end; ++j) {
                if ((j & mask) != value) continue;
                const auto sign = hn::Set(d, odd(j & word.z) ? Real{-1} : Real{1});
                const Real* b = bra + (j ^ word.x) * kGroupReals;
                const Real* k = ket + j * kGroupReals + h;
                const auto b_re = hn::Mul(sign, exchange.load(b, h));
                const auto b_im = hn::Mul(sign, exchange.load(b + kLanes, h));
                const auto k_re = hn::Load(d, k);
                const auto k_im = hn::Load(d, k + kLanes);
                sum_re = hn::MulAdd(b_im, k_im, hn::MulAdd(b_re, k_re, sum_re));
                sum_im = hn::NegMulAdd(b_im, k_re, hn::MulAdd(b_re, k_im, sum_im));
            }
            hn::Store(sum_re, d, part + h);
            hn::Store(sum_im, d, part + kLanes + h);
        }
        for (std::size_t i = 0; i < kGroupReals; ++i) sums[i] += static_cast<double>(part[i]);
    }
}

template <class Real>
void add_word(const GroupWord& word, const Real* coefficient, const Real* psi, Real* result,
              std::size_t groups) {
    const Tag<Real> d;
    const Exchange<Tag<Real>> exchange(d, word.x_lane);
    const std::size_t n = hn::Lanes(d);
    for (std::size_t j = 0; j < groups; ++j) {
        const auto sign = hn::Set(d, odd(j & word.z) ? Real{-1} : Real{1});
        const Real* x = psi + j * kGroupReals;
        Real* y = result + (j ^ word.x) * kGroupReals;
        for (std::size_t h = 0; h < kLanes; h += n) {
            const auto c_re = hn::Mul(sign, hn::Load(d, coefficient + h));
            const auto c_im = hn::Mul(sign, hn::Load(d, coefficient + kLanes + h));
            const auto re = exchange.load(x, h);
            const auto im = exchange.load(x + kLanes, h);
            const auto old_re = hn::Load(d, y + h);
            const auto old_im = hn::Load(d, y + kLanes + h);
            hn::Store(hn::NegMulAdd(c_im, im, hn::MulAdd(c_re, re, old_re)), d, y + h);
            hn::Store(hn::MulAdd(c_im, re, hn::MulAdd(c_re, im, old_im)), d, y + kLanes + h);
        }
    }
}

template <class Real>
void diagonal_sums(std::span<const std::size_t> z, const Real* psi, std::size_t groups,
                   double* sums) {
    const Tag<Real> d;
    const std::size_t n = hn::Lanes(d);
    HWY_ALIGN Real squares[kChunk * kLanes];
    HWY_ALIGN Real part[kLanes];
    for (std::size_t start = 0; start < groups; start += kChunk) {
        const std::size_t count = HWY_MIN(kChunk, groups - start);
        HWY_ALIGN Real total[kLanes];
        for (std::size_t h = 0; h < kLanes; h += n) {
            auto sum = hn::Zero(d);
            for (std::size_t j = 0; j < count; ++j) {
                const Real* x = psi + (start + j) * kGroupReals + h;
                const auto re = hn::Load(d, x);
                const auto im = hn::Load(d, x + kLanes);
                const auto square = hn::MulAdd(re, re, hn::Mul(im, im));
                hn::Store(square, d, squares + j * kLanes + h);
                sum = hn::Add(sum, square);
            }
            hn::Store(sum, d, total + h);
        }
        for (std::size_t k = 0; k < z.size(); ++k) {
            const double sign = odd(start & z[k]) ? -1.0 : 1.0;
            const std::size_t inner = z[k] & (kChunk - 1);
            const Real* source = total;
            if (inner != 0) {
                for (std::size_t h = 0; h < kLanes; h += n) {
                    auto sum = hn::Zero(d);
                    for (std::size_t j = 0; j < count; ++j) {
                        const auto square = hn::Load(d, squares + j * kLanes + h);
                        sum = odd(j & inner) ? hn::Sub(sum, square) : hn::Add(sum, square);
                    }
                    hn::Store(sum, d, part + h);
                }
                source = part;
            }
            for (std::size_t i = 0; i < kLanes; ++i)
                sums[k * kLanes + i] += sign * static_cast<double>(source[i]);
        }
    }
}

template <class Real>
void weigh(std::span<const std::size_t> z, const Real* weights, const Real* psi, Real* result,
           std::size_t groups) {
    const Tag<Real> d;
    const std::size_t n = hn::Lanes(d);
    HWY_ALIGN Real outer[kLanes];
    for (std::size_t start = 0; start < groups; start += kChunk) {
        const std::size_t count = HWY_MIN(kChunk, groups - start);
        // What is the same for the whole chunk is added up once.
        for (std::size_t i = 0; i < kLanes; ++i) outer[i] = 0;
        for (std::size_t k = 0; k < z.size(); ++k) {
            if ((z[k] & (kChunk - 1)) != 0) continue;
            const bool negative = odd(start & z[k]);
            for (std::size_t i = 0; i < kLanes; ++i)
                outer[i] += negative ? -weights[k * kLanes + i] : weights[k * kLanes + i];
        }
        for (std::size_t j = start; j < start + count; ++j)
            for (std::size_t h = 0; h < kLanes; h += n) {
                auto weight = hn::Load(d, outer + h);
                for (std::size_t k = 0; k < z.size(); ++k) {
                    if ((z[k] & (kChunk - 1)) == 0) continue;
                    const auto w = hn::Load(d, weights + k * kLanes + h);
                    weight = odd(j & z[k]) ? hn::Sub(weight, w) : hn::Add(weight, w);
                }
                const Real* x = psi + j * kGroupReals + h;
                Real* y = result + j * kGroupReals + h;
                hn::Store(hn::Mul(weight, hn::Load(d, x)), d, y);
                hn::Store(hn::Mul(weight, hn::Load(d, x + kLanes)), d, y + kLanes);
            }
    }
}

template <class Real>
void enter(const std::array<Real, 4>& product, std::size_t z, const Real* lane_signs, Real* psi,
           std::size_t groups) {
    const Tag<Real> d;
    const std::size_t n = hn::Lanes(d);
    const auto low_re = hn::Set(d, product[0]);
    const auto low_im = hn::Set(d, product[1]);
    for (std::size_t j = 0; j < groups; ++j) {
        const auto sign = hn::Set(d, odd(j & z) ? Real{-1} : Real{1});
        Real* x = psi + j * kGroupReals;
        Real* y = psi + (groups + j) * kGroupReals;
        for (std::size_t h = 0; h < kLanes; h += n) {
            const auto signs = hn::Mul(sign, hn::Load(d, lane_signs + h));
            const auto high_re = hn::Mul(signs, hn::Set(d, product[2]));
            const auto high_im = hn::Mul(signs, hn::Set(d, product[3]));
            const auto re = hn::Load(d, x + h);
            const auto im = hn::Load(d, x + kLanes + h);
            hn::Store(hn::NegMulAdd(low_im, im, hn::Mul(low_re, re)), d, x + h);
            hn::Store(hn::MulAdd(low_im, re, hn::Mul(low_re, im)), d, x + kLanes + h);
            hn::Store(hn::NegMulAdd(high_im, im, hn::Mul(high_re, re)), d, y + h);
            hn::Store(hn::MulAdd(high_im, re, hn::Mul(high_re, im)), d, y + kLanes + h);
        }
    }
}

template <class Real>
void leave(const std::array<Real, 4>& product, std::size_t z, const Real* lane_signs, Real* psi,
           std::size_t groups) {
    const Tag<Real> d;
    const std::size_t n = hn::Lanes(d);
    const auto low_re = hn::Set(d, product[0]);
    const auto low_im = hn::Set(d, product[1]);
    for (std::size_t j = 0; j < groups; ++j) {
        const auto sign = hn::Set(d, odd(j & z) ? Real{-1} : Real{1});
        Real* x = psi + j * kGroupReals;
        const Real* y = psi + (groups + j) * kGroupReals;
        for (std::size_t h = 0; h < kLanes; h += n) {
            const auto signs = hn::Mul(sign, hn::Load(d, lane_signs + h));
            const auto high_re = hn::Mul(signs, hn::Set(d, product[2]));
            const auto high_im = hn::Mul(signs, hn::Set(d, product[3]));
            const auto x_re = hn::Load(d, x + h);
            const auto x_im = hn::Load(d, x + kLanes + h);
            const auto y_re = hn::Load(d, y + h);
            const auto y_im = hn::Load(d, y + kLanes + h);
            const auto re = hn::MulAdd(
                low_im, x_im,
                hn::MulAdd(low_re, x_re, hn::MulAdd(high_im, y_im, hn::Mul(high_re, y_re))));
            const auto im = hn::NegMulAdd(
                low_im, x_re,
                hn::MulAdd(low_re, x_im, hn::NegMulAdd(high_im, y_re, hn::Mul(high_re, y_im))));
            hn::Store(re, d, x + h);
            hn::Store(im, d, x + kLanes + h);
        }
    }
}

} // namespace
} // namespace HWY_NAMESPACE
} // namespace wavetrain
HWY_AFTER_NAMESPACE();
