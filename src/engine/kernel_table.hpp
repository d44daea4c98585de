/// What the kernels do, as a table of functions for one SIMD target: plain pointers and numbers.
#pragma once

#include "wavetrain/engine/state.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace wavetrain {

/// The groups that a block touches: a base for every combination of the free bits of the group
/// index, with the controls set.
struct Grid {
    std::size_t bases = 0;
    int fixed_count = 0;
    std::array<int, 62> fixed{}; ///< bits that are not free, ascending
    std::size_t value = 0;       ///< of the controls
};

/// A block on groups. Targets are bits of the group index (`vertical` of them) or lane bits
/// (`lane_targets` of them). A row is a combination of vertical target bits, a term a row and a
/// combination of lane bits to exchange: vertical + lane_targets <= 2.
struct BlockTask {
    Grid grid;
    int vertical = 0;
    int lane_targets = 0;
    std::array<std::size_t, 4> offsets{}; ///< of each row from the base, in groups
    std::array<unsigned, 4> lane_masks{}; ///< of each combination of lane bits
};

/// Entries of a block's matrix: for each row and term kLanes real and kLanes imaginary parts.
inline constexpr std::size_t kEntries = 16;

/// A Pauli word on groups: P |j> = phase (-1)^(parity of j & z) |j xor x>.
struct GroupWord {
    std::size_t x = 0;
    std::size_t z = 0;
    unsigned x_lane = 0;
    unsigned z_lane = 0;
};

/// Functions on states of `groups` groups. Sums are taken in Real over short runs, then in double.
template <class Real> struct KernelTable {
    const char* name;

    /// psi <- U psi on bases [first, last). `matrix`: kEntries * kGroupReals Reals.
    void (*apply)(const BlockTask&, const Real* matrix, Real* psi, std::size_t first,
                  std::size_t last);
    /// The diagonal alone: `factors` has one group per row.
    void (*apply_diagonal)(const BlockTask&, const Real* factors, Real* psi, std::size_t first,
                           std::size_t last);
    /// Exchanges rows `a` and `b`.
    void (*swap_rows)(const BlockTask&, int a, int b, Real* psi, std::size_t first,
                      std::size_t last);
    /// sums[row][term] += conj(bra of the row) ket of the term, per lane (kLanes real, kLanes
    /// imaginary parts).
    void (*transition)(const BlockTask&, const Real* bra, const Real* ket, std::size_t first,
                       std::size_t last, double* sums);
    /// ket <- U ket, transition(bra, ket), bra <- U bra in one pass. `sums` may be null.
    void (*step_back)(const BlockTask&, const Real* matrix, Real* ket, Real* bra, std::size_t first,
                      std::size_t last, double* sums);

    /// psi <- (C + F P) psi where (group & mask) == value: C `cosine` (kLanes reals), F `factor` (a
    /// group, with the phase of P and the signs of the lanes).
    void (*rotate_word)(const GroupWord&, std::size_t mask, std::size_t value, const Real* cosine,
                        const Real* factor, Real* psi, std::size_t groups);
    /// sums += conj(bra[j xor x]) (-1)^(j & z) ket[j], per lane of the ket, over groups j with
    /// (j & mask) == value. The signs of lanes are the caller's.
    void (*word_element)(const GroupWord&, std::size_t mask, std::size_t value, const Real* bra,
                         const Real* ket, std::size_t groups, double* sums);
    /// result[j xor x] += (-1)^(j & z) coefficient psi[j]; `coefficient` is a group, per lane of
    /// the result.
    void (*add_word)(const GroupWord&, const Real* coefficient, const Real* psi, Real* result,
                     std::size_t groups);
    /// sums[k][lane] += (-1)^(j & z[k]) |psi[j]|^2.
    void (*diagonal_sums)(std::span<const std::size_t> z, const Real* psi, std::size_t groups,
                          double* sums);
    /// result[j] = psi[j] * sum over k of (-1)^(j & z[k]) weight[k][lane].
    void (*weigh)(std::span<const std::size_t> z, const Real* weights, const Real* psi,
                  Real* result, std::size_t groups);

    /// A qubit in the state (low, high) enters as the bit above `groups` groups: psi[j] <- low
    /// psi[j], psi[groups + j] <- high (-1)^(j & z) lane_signs psi[j]. Real and imaginary parts in
    /// `product`.
    void (*enter)(const std::array<Real, 4>& product, std::size_t z, const Real* lane_signs,
                  Real* psi, std::size_t groups);
    /// The adjoint of enter().
    void (*leave)(const std::array<Real, 4>& product, std::size_t z, const Real* lane_signs,
                  Real* psi, std::size_t groups);
};

} // namespace wavetrain
