/// The kernels: matrices on one, two or a few positions, Pauli words, sums in a fixed order.
#include "wavetrain/engine/kernels.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace wavetrain {
namespace {

constexpr std::size_t kLargestSide = 64;
/// Sums go over runs of this many terms, then over the runs: a fixed tree.
constexpr std::size_t kSumRun = 4096;

/// A matrix in the state's precision, row by row.
template <class Real> struct Entries {
    std::array<Real, kLargestSide * kLargestSide> re;
    std::array<Real, kLargestSide * kLargestSide> im;
};

/// The few entries of the small kernels live in registers.
template <class Real, std::size_t Side> struct SmallEntries {
    Real re[Side][Side];
    Real im[Side][Side];

    SmallEntries(const Matrix& m, bool adjoint) {
        for (std::size_t r = 0; r < Side; ++r)
            for (std::size_t c = 0; c < Side; ++c) {
                const auto i = static_cast<Eigen::Index>(r);
                const auto j = static_cast<Eigen::Index>(c);
                const Complex value = adjoint ? std::conj(m(j, i)) : m(i, j);
                re[r][c] = static_cast<Real>(value.real());
                im[r][c] = static_cast<Real>(value.imag());
            }
    }
};

/// out[r] = sum over c of m[r][c] in[c], in place, at `run` neighbouring indices.
template <class Real, std::size_t Side>
inline void multiply_run(const SmallEntries<Real, Side>& m, Real* const* re, Real* const* im,
                         std::size_t run) {
    // The pointers' runs are disjoint.
#pragma GCC ivdep
    for (std::size_t i = 0; i < run; ++i) {
        Real in_re[Side];
        Real in_im[Side];
        for (std::size_t c = 0; c < Side; ++c) {
            in_re[c] = re[c][i];
            in_im[c] = im[c][i];
        }
        for (std::size_t r = 0; r < Side; ++r) {
            Real sum_re = m.re[r][0] * in_re[0] - m.im[r][0] * in_im[0];
            Real sum_im = m.re[r][0] * in_im[0] + m.im[r][0] * in_re[0];
            for (std::size_t c = 1; c < Side; ++c) {
                sum_re += m.re[r][c] * in_re[c] - m.im[r][c] * in_im[c];
                sum_im += m.re[r][c] * in_im[c] + m.im[r][c] * in_re[c];
            }
            re[r][i] = sum_re;
            im[r][i] = sum_im;
        }
    }
}

template <class Real>
void apply_one(State<Real>& state, int target, const SmallEntries<Real, 2>& m) {
    const std::size_t stride = std::size_t{1} << target;
    for (std::size_t base = 0; base < state.size(); base += 2 * stride) {
        Real* re[2] = {state.re() + base, state.re() + base + stride};
        Real* im[2] = {state.im() + base, state.im() + base + stride};
        multiply_run(m, re, im, stride);
    }
}

template <class Real>
void apply_two(State<Real>& state, int high, int low, const SmallEntries<Real, 4>& m) {
    const std::size_t stride_high = std::size_t{1} << high;
    const std::size_t stride_low = std::size_t{1} << low;
    const std::size_t outer = std::max(stride_high, stride_low);
    const std::size_t inner = std::min(stride_high, stride_low);
    for (std::size_t a = 0; a < state.size(); a += 2 * outer)
        for (std::size_t b = a; b < a + outer; b += 2 * inner) {
            const std::size_t offsets[4] = {b, b + stride_low, b + stride_high,
                                            b + stride_high + stride_low};
            Real* re[4];
            Real* im[4];
            for (std::size_t c = 0; c < 4; ++c) {
                re[c] = state.re() + offsets[c];
                im[c] = state.im() + offsets[c];
            }
            multiply_run(m, re, im, inner);
        }
}

/// The indices that a block touches: for every combination of the other bits a base, and for every
/// matrix index an offset from it.
class Indices {
public:
    Indices(std::size_t size, const Block& block) : value_(block.control_value) {
        const std::size_t count = block.targets.size();
        offsets_.assign(std::size_t{1} << count, 0);
        std::uint64_t fixed = block.control_mask;
        for (std::size_t i = 0; i < count; ++i) {
            const std::uint64_t bit = std::uint64_t{1} << block.targets[i].index;
            fixed |= bit;
            for (std::size_t m = 0; m < offsets_.size(); ++m)
                if ((m >> (count - 1 - i)) & 1) offsets_[m] |= bit;
        }
        for (int p = 0; p < 64; ++p)
            if ((fixed >> p) & 1) fixed_.push_back(p);
        bases_ = size >> fixed_.size();
    }

    std::size_t bases() const { return bases_; }
    std::span<const std::uint64_t> offsets() const { return offsets_; }

    /// Spreads the bits of `number` over the free positions and sets the controls.
    std::size_t base(std::size_t number) const {
        for (int p : fixed_) {
            const std::size_t low = number & ((std::size_t{1} << p) - 1);
            number = ((number >> p) << (p + 1)) | low;
        }
        return number | value_;
    }

private:
    std::uint64_t value_;
    std::vector<int> fixed_; // ascending
    std::vector<std::uint64_t> offsets_;
    std::size_t bases_ = 0;
};

template <class Real>
void apply_any(State<Real>& state, const Block& block, const Matrix& matrix, bool adjoint) {
    const Indices indices(state.size(), block);
    const auto offsets = indices.offsets();
    const std::size_t side = offsets.size();
    Entries<Real> m;
    for (std::size_t r = 0; r < side; ++r)
        for (std::size_t c = 0; c < side; ++c) {
            const auto i = static_cast<Eigen::Index>(r);
            const auto j = static_cast<Eigen::Index>(c);
            const Complex value = adjoint ? std::conj(matrix(j, i)) : matrix(i, j);
            m.re[r * side + c] = static_cast<Real>(value.real());
            m.im[r * side + c] = static_cast<Real>(value.imag());
        }
    std::array<Real, kLargestSide> in_re;
    std::array<Real, kLargestSide> in_im;
    for (std::size_t number = 0; number < indices.bases(); ++number) {
        const std::size_t base = indices.base(number);
        for (std::size_t c = 0; c < side; ++c) {
            in_re[c] = state.re()[base + offsets[c]];
            in_im[c] = state.im()[base + offsets[c]];
        }
        for (std::size_t r = 0; r < side; ++r) {
            Real sum_re = 0;
            Real sum_im = 0;
            for (std::size_t c = 0; c < side; ++c) {
                sum_re += m.re[r * side + c] * in_re[c] - m.im[r * side + c] * in_im[c];
                sum_im += m.re[r * side + c] * in_im[c] + m.im[r * side + c] * in_re[c];
            }
            state.re()[base + offsets[r]] = sum_re;
            state.im()[base + offsets[r]] = sum_im;
        }
    }
}

/// i^count.
Complex power_of_i(int count) {
    constexpr std::array<Complex, 4> kPowers{Complex{1, 0}, Complex{0, 1}, Complex{-1, 0},
                                             Complex{0, -1}};
    return kPowers[static_cast<std::size_t>(count) & 3];
}

double sign_of(std::uint64_t bits) { return std::popcount(bits) % 2 == 0 ? 1.0 : -1.0; }

/// psi <- exp(-i theta P / 2) psi where the controls hold.
template <class Real> void rotate_pauli(State<Real>& state, const Block& block, double theta) {
    const double c = std::cos(theta / 2);
    const Complex s = Complex{0, -1} * std::sin(theta / 2);
    const PauliWord& word = block.word;
    const Complex phase = power_of_i(word.y_count);
    const auto at_controls = [&](std::size_t i) {
        return (i & block.control_mask) == block.control_value;
    };
    for (std::size_t i = 0; i < state.size(); ++i) {
        const std::size_t j = i ^ word.x_mask;
        if (j < i || !at_controls(i)) continue; // each pair once; i == j where P is diagonal
        const Complex a = state.amplitude(i);
        const Complex b = state.amplitude(j);
        const Complex new_a = c * a + s * phase * sign_of(j & word.z_mask) * b;
        state.re()[i] = static_cast<Real>(new_a.real());
        state.im()[i] = static_cast<Real>(new_a.imag());
        if (j == i) continue;
        const Complex new_b = c * b + s * phase * sign_of(i & word.z_mask) * a;
        state.re()[j] = static_cast<Real>(new_b.real());
        state.im()[j] = static_cast<Real>(new_b.imag());
    }
}

template <class Real>
void apply_block(State<Real>& state, const Block& block, const BoundBlock& bound, bool adjoint) {
    if (bound.identity) return;
    if (block.kind == Block::Kind::pauli_rotation) {
        rotate_pauli(state, block, adjoint ? -bound.theta : bound.theta);
        return;
    }
    if (block.control_mask == 0 && block.targets.size() == 1)
        apply_one(state, block.targets[0].index, SmallEntries<Real, 2>(bound.matrix, adjoint));
    else if (block.control_mask == 0 && block.targets.size() == 2)
        apply_two(state, block.targets[0].index, block.targets[1].index,
                  SmallEntries<Real, 4>(bound.matrix, adjoint));
    else
        apply_any(state, block, bound.matrix, adjoint);
}

/// M for a block of 2^k = Side outcomes, with the sums in registers.
template <std::size_t Side, class Real>
Matrix transition_small(const State<Real>& bra, const State<Real>& ket, const Indices& indices) {
    const auto offsets = indices.offsets();
    double total_re[Side][Side] = {};
    double total_im[Side][Side] = {};
    for (std::size_t start = 0; start < indices.bases(); start += kSumRun) {
        const std::size_t end = std::min(indices.bases(), start + kSumRun);
        double sum_re[Side][Side] = {};
        double sum_im[Side][Side] = {};
        for (std::size_t number = start; number < end; ++number) {
            const std::size_t base = indices.base(number);
            double bra_re[Side], bra_im[Side], ket_re[Side], ket_im[Side];
            for (std::size_t c = 0; c < Side; ++c) {
                const std::size_t i = base + offsets[c];
                bra_re[c] = bra.re()[i];
                bra_im[c] = bra.im()[i];
                ket_re[c] = ket.re()[i];
                ket_im[c] = ket.im()[i];
            }
            for (std::size_t r = 0; r < Side; ++r)
                for (std::size_t c = 0; c < Side; ++c) {
                    sum_re[r][c] += bra_re[r] * ket_re[c] + bra_im[r] * ket_im[c];
                    sum_im[r][c] += bra_re[r] * ket_im[c] - bra_im[r] * ket_re[c];
                }
        }
        for (std::size_t r = 0; r < Side; ++r)
            for (std::size_t c = 0; c < Side; ++c) {
                total_re[r][c] += sum_re[r][c];
                total_im[r][c] += sum_im[r][c];
            }
    }
    Matrix result(Side, Side);
    for (std::size_t r = 0; r < Side; ++r)
        for (std::size_t c = 0; c < Side; ++c)
            result(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(c)) =
                Complex{total_re[r][c], total_im[r][c]};
    return result;
}

template <class Real>
Matrix transition_any(const State<Real>& bra, const State<Real>& ket, const Indices& indices) {
    const auto offsets = indices.offsets();
    const auto side = static_cast<Eigen::Index>(offsets.size());
    Matrix total = Matrix::Zero(side, side);
    for (std::size_t start = 0; start < indices.bases(); start += kSumRun) {
        const std::size_t end = std::min(indices.bases(), start + kSumRun);
        Matrix sum = Matrix::Zero(side, side);
        for (std::size_t number = start; number < end; ++number) {
            const std::size_t base = indices.base(number);
            for (Eigen::Index r = 0; r < side; ++r) {
                const Complex b = bra.amplitude(base + offsets[static_cast<std::size_t>(r)]);
                for (Eigen::Index c = 0; c < side; ++c) {
                    const Complex k = ket.amplitude(base + offsets[static_cast<std::size_t>(c)]);
                    sum(r, c) += Complex{b.real() * k.real() + b.imag() * k.imag(),
                                         b.real() * k.imag() - b.imag() * k.real()};
                }
            }
        }
        total += sum;
    }
    return total;
}

} // namespace

template <class Real> void State<Real>::reset() {
    clear();
    values_.data()[0] = Real{1};
}

template <class Real> void State<Real>::clear() {
    std::fill_n(values_.data(), values_.size(), Real{0});
}

template <class Real> void State<Real>::copy_from(const State& other) {
    promise(size_ == other.size_, "states of different sizes");
    std::copy_n(other.values_.data(), values_.size(), values_.data());
}

template <class Real> void apply(State<Real>& state, const Block& block, const BoundBlock& bound) {
    apply_block(state, block, bound, false);
}

template <class Real> void undo(State<Real>& state, const Block& block, const BoundBlock& bound) {
    apply_block(state, block, bound, true);
}

template <class Real>
Matrix transition(const State<Real>& bra, const State<Real>& ket, const Block& block) {
    const Indices indices(bra.size(), block);
    if (block.targets.size() == 1) return transition_small<2>(bra, ket, indices);
    if (block.targets.size() == 2) return transition_small<4>(bra, ket, indices);
    return transition_any(bra, ket, indices);
}

template <class Real>
Complex pauli_element(const State<Real>& bra, const State<Real>& ket, const PauliWord& word,
                      std::uint64_t mask, std::uint64_t value) {
    double total_re = 0;
    double total_im = 0;
    for (std::size_t start = 0; start < ket.size(); start += kSumRun) {
        const std::size_t end = std::min(ket.size(), start + kSumRun);
        double sum_re = 0;
        double sum_im = 0;
        for (std::size_t i = start; i < end; ++i) {
            if ((i & mask) != value) continue;
            const std::size_t j = i ^ word.x_mask;
            const double sign = sign_of(i & word.z_mask);
            const double a = bra.re()[j];
            const double b = bra.im()[j];
            const double c = ket.re()[i];
            const double d = ket.im()[i];
            sum_re += sign * (a * c + b * d);
            sum_im += sign * (a * d - b * c);
        }
        total_re += sum_re;
        total_im += sum_im;
    }
    return power_of_i(word.y_count) * Complex{total_re, total_im};
}

template <class Real> double expectation(const State<Real>& state, const PauliWord& word) {
    return pauli_element(state, state, word, 0, 0).real();
}

template <class Real>
void add_pauli(State<Real>& result, const State<Real>& state, const PauliWord& word,
               double coefficient) {
    const Complex factor = coefficient * power_of_i(word.y_count);
    const auto factor_re = static_cast<Real>(factor.real());
    const auto factor_im = static_cast<Real>(factor.imag());
    for (std::size_t i = 0; i < state.size(); ++i) {
        const std::size_t j = i ^ word.x_mask;
        const auto sign = static_cast<Real>(sign_of(i & word.z_mask));
        const Real re = sign * state.re()[i];
        const Real im = sign * state.im()[i];
        result.re()[j] += factor_re * re - factor_im * im;
        result.im()[j] += factor_re * im + factor_im * re;
    }
}

template <class Real> double norm_squared(const State<Real>& state) {
    return expectation(state, PauliWord{});
}

// The two precisions of the engine.
template class State<float>;
template class State<double>;

template void apply(State<float>&, const Block&, const BoundBlock&);
template void undo(State<float>&, const Block&, const BoundBlock&);
template Matrix transition(const State<float>&, const State<float>&, const Block&);
template Complex pauli_element(const State<float>&, const State<float>&, const PauliWord&,
                               std::uint64_t, std::uint64_t);
template double expectation(const State<float>&, const PauliWord&);
template void add_pauli(State<float>&, const State<float>&, const PauliWord&, double);
template double norm_squared(const State<float>&);

template void apply(State<double>&, const Block&, const BoundBlock&);
template void undo(State<double>&, const Block&, const BoundBlock&);
template Matrix transition(const State<double>&, const State<double>&, const Block&);
template Complex pauli_element(const State<double>&, const State<double>&, const PauliWord&,
                               std::uint64_t, std::uint64_t);
template double expectation(const State<double>&, const PauliWord&);
template void add_pauli(State<double>&, const State<double>&, const PauliWord&, double);
template double norm_squared(const State<double>&);

} // namespace wavetrain
