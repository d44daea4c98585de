/// Products and traces of gates inside a block. Written out in real numbers: std::complex's own
/// product looks for infinities each time.
#include "block_algebra.hpp"

namespace wavetrain {
namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

/// The bit of the block's matrix index that holds a qubit; -1 if the block keeps it as a control.
int matrix_bit(const Cone& cone, const Block& block, Qubit qubit) {
    const int count = static_cast<int>(block.targets.size());
    for (int i = 0; i < count; ++i)
        if (cone.layout[at(block.targets[at(i)].index)] == qubit) return count - 1 - i;
    return -1;
}

} // namespace

GatePlace::GatePlace(const Cone& cone, const Block& block, const Operation& operation) {
    Eigen::Index mask = 0;
    Eigen::Index value = 0;
    for (const Control& control : operation.controls) {
        const int bit = matrix_bit(cone, block, control.qubit);
        if (bit < 0) continue;
        mask |= Eigen::Index{1} << bit;
        if (control.value) value |= Eigen::Index{1} << bit;
    }
    offsets_[0] = 0;
    for (Qubit q : operation.targets) { // the first target is the most significant
        const Eigen::Index bit = Eigen::Index{1} << matrix_bit(cone, block, q);
        mask |= bit;
        for (std::size_t i = side_; i-- > 0;) {
            offsets_[2 * i + 1] = static_cast<std::int16_t>(offsets_[i] | bit);
            offsets_[2 * i] = offsets_[i];
        }
        side_ *= 2;
    }
    const Eigen::Index side = Eigen::Index{1} << block.targets.size();
    for (Eigen::Index i = 0; i < side; ++i)
        if ((i & mask) == value) bases_[base_count_++] = static_cast<std::int16_t>(i);
}

template <bool Conjugate, std::size_t Side>
void GatePlace::along_as(Complex* m, Eigen::Index stride, Eigen::Index other_stride,
                         Eigen::Index count, const Matrix& gate) const {
    const std::size_t side = Side > 0 ? Side : side_;
    constexpr std::size_t kRoom = Side > 0 ? Side : kLargestSide;
    double g_re[kRoom][kRoom];
    double g_im[kRoom][kRoom];
    for (std::size_t r = 0; r < side; ++r)
        for (std::size_t c = 0; c < side; ++c) {
            const Complex g = gate(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(c));
            g_re[r][c] = g.real();
            g_im[r][c] = Conjugate ? -g.imag() : g.imag();
        }
    for (Eigen::Index other = 0; other < count; ++other)
        for (std::size_t b = 0; b < base_count_; ++b) {
            Complex* entries = m + other * other_stride + bases_[b] * stride;
            double re[kRoom];
            double im[kRoom];
            for (std::size_t c = 0; c < side; ++c) {
                const Complex value = entries[offsets_[c] * stride];
                re[c] = value.real();
                im[c] = value.imag();
            }
            for (std::size_t r = 0; r < side; ++r) {
                double sum_re = 0;
                double sum_im = 0;
                for (std::size_t c = 0; c < side; ++c) {
                    sum_re += g_re[r][c] * re[c] - g_im[r][c] * im[c];
                    sum_im += g_re[r][c] * im[c] + g_im[r][c] * re[c];
                }
                entries[offsets_[r] * stride] = {sum_re, sum_im};
            }
        }
}

template <bool Conjugate>
void GatePlace::along(Complex* m, Eigen::Index stride, Eigen::Index other_stride,
                      Eigen::Index count, const Matrix& gate) const {
    if (side_ == 2)
        along_as<Conjugate, 2>(m, stride, other_stride, count, gate);
    else if (side_ == 4)
        along_as<Conjugate, 4>(m, stride, other_stride, count, gate);
    else
        along_as<Conjugate, 0>(m, stride, other_stride, count, gate);
}

void GatePlace::multiply_left(Matrix& m, const Matrix& gate) const {
    along<false>(m.data(), 1, m.rows(), m.cols(), gate);
}

void GatePlace::multiply_right_adjoint(Matrix& m, const Matrix& gate) const {
    along<true>(m.data(), m.rows(), 1, m.rows(), gate);
}

Complex GatePlace::trace(const Matrix& m, const Matrix& derivative) const {
    double re = 0;
    double im = 0;
    for (std::size_t b = 0; b < base_count_; ++b)
        for (std::size_t c = 0; c < side_; ++c)
            for (std::size_t r = 0; r < side_; ++r) {
                const Complex d =
                    derivative(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(c));
                const Complex v = m(bases_[b] + offsets_[c], bases_[b] + offsets_[r]);
                re += d.real() * v.real() - d.imag() * v.imag();
                im += d.real() * v.imag() + d.imag() * v.real();
            }
    return {re, im};
}

} // namespace wavetrain
