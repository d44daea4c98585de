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

GatePlace::GatePlace(Eigen::Index side) : base_count_(1), side_(static_cast<std::size_t>(side)) {
    promise(side_ <= kLargestSide, "a matrix too large for a block");
    bases_[0] = 0;
    for (std::size_t i = 0; i < side_; ++i) offsets_[i] = static_cast<std::int16_t>(i);
}

template <GatePlace::Form F, std::size_t Side>
void GatePlace::along_as(Complex* m, Eigen::Index stride, Eigen::Index other_stride,
                         Eigen::Index count, const Matrix& gate) const {
    const std::size_t side = Side > 0 ? Side : side_;
    constexpr std::size_t kRoom = Side > 0 ? Side : kLargestSide;
    double g_re[kRoom][kRoom];
    double g_im[kRoom][kRoom];
    for (std::size_t r = 0; r < side; ++r)
        for (std::size_t c = 0; c < side; ++c) {
            constexpr bool kTranspose = F == Form::transpose;
            const Complex g = gate(static_cast<Eigen::Index>(kTranspose ? c : r),
                                   static_cast<Eigen::Index>(kTranspose ? r : c));
            g_re[r][c] = g.real();
            g_im[r][c] = F == Form::conjugate ? -g.imag() : g.imag();
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

template <GatePlace::Form F>
void GatePlace::along(Complex* m, Eigen::Index stride, Eigen::Index other_stride,
                      Eigen::Index count, const Matrix& gate) const {
    if (side_ == 2)
        along_as<F, 2>(m, stride, other_stride, count, gate);
    else if (side_ == 4)
        along_as<F, 4>(m, stride, other_stride, count, gate);
    else
        along_as<F, 0>(m, stride, other_stride, count, gate);
}

void GatePlace::multiply_left(Matrix& m, const Matrix& gate) const {
    along<Form::plain>(m.data(), 1, m.rows(), m.cols(), gate);
}

void GatePlace::multiply_right(Matrix& m, const Matrix& gate) const {
    along<Form::transpose>(m.data(), m.rows(), 1, m.rows(), gate);
}

void GatePlace::multiply_right_adjoint(Matrix& m, const Matrix& gate) const {
    along<Form::conjugate>(m.data(), m.rows(), 1, m.rows(), gate);
}

Matrix GatePlace::reduced(const Matrix& m) const {
    const auto side = static_cast<Eigen::Index>(side_);
    Matrix result(side, side);
    for (std::size_t c = 0; c < side_; ++c)
        for (std::size_t r = 0; r < side_; ++r) {
            Complex sum = 0;
            for (std::size_t b = 0; b < base_count_; ++b)
                sum += m(bases_[b] + offsets_[r], bases_[b] + offsets_[c]);
            result(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(c)) = sum;
        }
    return result;
}

Complex trace_of_product(const Matrix& a, const Matrix& b) {
    double re = 0;
    double im = 0;
    for (Eigen::Index c = 0; c < a.cols(); ++c)
        for (Eigen::Index r = 0; r < a.rows(); ++r) {
            const Complex x = a(r, c);
            const Complex y = b(c, r);
            re += x.real() * y.real() - x.imag() * y.imag();
            im += x.real() * y.imag() + x.imag() * y.real();
        }
    return {re, im};
}

} // namespace wavetrain
