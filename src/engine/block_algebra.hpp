/// The small algebra inside a block: gates on some bits of its matrix index, without building their
/// full matrices.
#pragma once

#include "wavetrain/compile/plan.hpp"

#include <array>
#include <cstdint>

namespace wavetrain {

/// How one gate lies in a block: on the block's targets, with those of its controls that the block
/// does not keep as controls.
class GatePlace {
public:
    GatePlace(const Cone& cone, const Block& block, const Operation& operation);

    /// m <- G m, where `gate` is G on its own targets.
    void multiply_left(Matrix& m, const Matrix& gate) const;
    /// m <- m G†.
    void multiply_right_adjoint(Matrix& m, const Matrix& gate) const;
    /// tr(D m), where `derivative` is D on the gate's targets and 0 elsewhere.
    Complex trace(const Matrix& m, const Matrix& derivative) const;

private:
    static constexpr std::size_t kLargestSide = 64;

    /// Multiplies by `gate` (its conjugate) along an index of `m` with the given stride, for
    /// `count` values of the other index. Side: of the gate; 0: any.
    template <bool Conjugate, std::size_t Side>
    void along_as(Complex* m, Eigen::Index stride, Eigen::Index other_stride, Eigen::Index count,
                  const Matrix& gate) const;
    template <bool Conjugate>
    void along(Complex* m, Eigen::Index stride, Eigen::Index other_stride, Eigen::Index count,
               const Matrix& gate) const;

    std::size_t base_count_ = 0;
    std::size_t side_ = 1;
    std::array<std::int16_t, kLargestSide> bases_;   ///< target bits clear, controls held
    std::array<std::int16_t, kLargestSide> offsets_; ///< of the gate's own index
};

} // namespace wavetrain
