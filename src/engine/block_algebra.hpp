/// The small algebra inside a block: gates on some bits of its matrix index, without building their
/// full matrices.
#pragma once

#include "wavetrain/compile/plan.hpp"

#include <array>
#include <cstdint>
#include <utility>

namespace wavetrain {

/// How one gate lies in a block: on the block's targets, with those of its controls that the block
/// does not keep as controls.
class GatePlace {
public:
    GatePlace(const Cone& cone, const Block& block, const Operation& operation);
    /// A gate on all of a matrix index of this size.
    explicit GatePlace(Eigen::Index side);

    /// m <- G m, where `gate` is G on its own targets.
    void multiply_left(Matrix& m, const Matrix& gate) const;
    /// m <- m G.
    void multiply_right(Matrix& m, const Matrix& gate) const;
    /// m <- m G†.
    void multiply_right_adjoint(Matrix& m, const Matrix& gate) const;
    /// The matrix n on the gate's targets with tr(D m) = tr(d n) for every D that is d on these
    /// targets where the controls hold, and 0 elsewhere.
    Matrix reduced(const Matrix& m) const;

private:
    static constexpr std::size_t kLargestSide = 64;

    /// What is multiplied along an index: the gate, its conjugate or its transpose.
    enum class Form { plain, conjugate, transpose };

    /// Multiplies by a form of `gate` along an index of `m` with the given stride, for `count`
    /// values of the other index. Side: of the gate; 0: any.
    template <Form F, std::size_t Side>
    void along_as(Complex* m, Eigen::Index stride, Eigen::Index other_stride, Eigen::Index count,
                  const Matrix& gate) const;
    template <Form F>
    void along(Complex* m, Eigen::Index stride, Eigen::Index other_stride, Eigen::Index count,
               const Matrix& gate) const;

    std::size_t base_count_ = 0;
    std::size_t side_ = 1;
    std::array<std::int16_t, kLargestSide> bases_;   ///< target bits clear, controls held
    std::array<std::int16_t, kLargestSide> offsets_; ///< of the gate's own index
};

/// tr(a b).
Complex trace_of_product(const Matrix& a, const Matrix& b);

/// The factors of a matrix U = F_m ... F_1, unitary. Calls body(j, N_j) for each, ascending: with
/// N_j = (F_{j-1} ... F_1) N (F_m ... F_{j+1}) a change dF_j of a factor changes tr(U N) by
/// tr(dF_j N_j), dF_j on all of the index. place_of(j) and factor_of(j) give the factors.
template <class PlaceOf, class FactorOf, class Body>
void for_factors(std::size_t count, Matrix n, PlaceOf&& place_of, FactorOf&& factor_of,
                 Body&& body) {
    for (std::size_t j = count; j-- > 1;) place_of(j).multiply_right(n, factor_of(j));
    for (std::size_t j = 0; j < count; ++j) {
        body(j, std::as_const(n));
        if (j + 1 == count) break;
        place_of(j).multiply_left(n, factor_of(j));
        place_of(j + 1).multiply_right_adjoint(n, factor_of(j + 1));
    }
}

} // namespace wavetrain
