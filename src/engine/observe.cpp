/// Expectations and their derivatives in the state. Diagonal words of all observables are summed in
/// one sweep; the others take a sweep each.
#include "observe.hpp"

#include "phases.hpp"
#include "simd_target.hpp"
#include "wavetrain/base/parallel.hpp"

#include <algorithm>
#include <array>
#include <type_traits>

namespace wavetrain {
namespace {

/// Parts of a sweep: fixed, so that sums do not depend on the number of threads.
constexpr std::size_t kPart = 1 << 15;

bool is_constant(const PauliWord& word) { return word.x_mask == 0 && word.z_mask == 0; }

/// A mask of positions as lane bits and group bits.
struct Split {
    int lane_bits;

    unsigned lane(std::uint64_t mask) const {
        return static_cast<unsigned>(mask & ((1U << lane_bits) - 1));
    }
    std::size_t group(std::uint64_t mask) const { return mask >> lane_bits; }
};

template <class Real> Split split_of(const State<Real>& state) {
    return {state.lanes() == Lanes::amplitudes ? kLaneBits : 0};
}

template <class Real> std::size_t states_in(const State<Real>& state) {
    return state.lanes() == Lanes::executions ? kLanes : 1;
}

GroupWord group_word(const PauliWord& word, Split split) {
    return {split.group(word.x_mask), split.group(word.z_mask), split.lane(word.x_mask),
            split.lane(word.z_mask)};
}

/// Sums of (-1)^(j & z) |psi[j]|^2 for several masks z of positions: [mask][state in the lanes].
template <class Real>
std::vector<std::vector<double>> square_sums(const State<Real>& state,
                                             std::span<const std::uint64_t> masks, int threads) {
    const Split split = split_of(state);
    std::vector<std::size_t> z;
    for (std::uint64_t mask : masks) z.push_back(split.group(mask));
    const std::size_t parts = (state.groups() + kPart - 1) / kPart;
    const std::size_t length = masks.size() * kLanes;
    std::vector<double> sums(parts * length, 0.0);
    parallel_for(parts, threads, [&](std::size_t part, int) {
        const std::size_t first = part * kPart;
        const std::size_t count = std::min(kPart, state.groups() - first);
        double* own = sums.data() + part * length;
        kernels<Real>().diagonal_sums(z, state.data() + first * kGroupReals, count, own);
        for (std::size_t k = 0; k < z.size(); ++k) // the kernel counts groups from 0
            if (sign_of(first & z[k]) < 0)
                for (std::size_t l = 0; l < kLanes; ++l) own[k * kLanes + l] *= -1;
    });
    std::vector<std::vector<double>> result;
    for (std::size_t k = 0; k < masks.size(); ++k) {
        std::vector<double> values(states_in(state), 0.0);
        for (std::size_t part = 0; part < parts; ++part)
            for (std::size_t l = 0; l < kLanes; ++l)
                values[values.size() == 1 ? 0 : l] +=
                    sign_of(l & split.lane(masks[k])) * sums[part * length + k * kLanes + l];
        result.push_back(std::move(values));
    }
    return result;
}

/// What expectations are multiplied by: 1/|psi|^2 in single precision, else 1.
template <class Real> std::vector<double> factors_of(const State<Real>& state, int threads) {
    std::vector<double> factors(states_in(state), 1.0);
    if constexpr (std::is_same_v<Real, float>) {
        const std::uint64_t none = 0;
        factors = square_sums(state, std::span(&none, 1), threads).front();
        for (double& factor : factors) factor = 1.0 / factor;
    }
    return factors;
}

} // namespace

template <class Real>
std::vector<Complex> word_elements(const State<Real>& bra, const State<Real>& ket,
                                   const PauliWord& word, std::uint64_t mask, std::uint64_t value) {
    const Split split = split_of(ket);
    alignas(64) std::array<double, kGroupReals> sums{};
    kernels<Real>().word_element(group_word(word, split), split.group(mask), split.group(value),
                                 bra.data(), ket.data(), ket.groups(), sums.data());
    std::vector<Complex> values(states_in(ket), 0.0);
    for (std::size_t l = 0; l < kLanes; ++l)
        if ((l & split.lane(mask)) == split.lane(value))
            values[values.size() == 1 ? 0 : l] +=
                sign_of(l & split.lane(word.z_mask)) * Complex{sums[l], sums[kLanes + l]};
    for (Complex& v : values) v *= power_of_i(word.y_count);
    return values;
}

template <class Real>
std::vector<double> observe(const Cone& cone, const State<Real>& state, int threads) {
    // The diagonal words, the norm first.
    std::vector<std::uint64_t> masks{0};
    for (const auto& terms : cone.terms)
        for (const PositionTerm& term : terms)
            if (term.word.x_mask == 0 && term.word.z_mask != 0) masks.push_back(term.word.z_mask);
    const auto sums = square_sums(state, masks, threads);
    const std::size_t states = states_in(state);
    std::vector<double> factors(states, 1.0);
    if constexpr (std::is_same_v<Real, float>)
        for (std::size_t s = 0; s < states; ++s) factors[s] = 1.0 / sums[0][s];
    std::vector<double> values(states * cone.terms.size(), 0.0);
    std::size_t next = 1;
    for (std::size_t j = 0; j < cone.terms.size(); ++j)
        for (const PositionTerm& term : cone.terms[j]) {
            std::vector<Complex> elements;
            const bool diagonal = term.word.x_mask == 0;
            if (!diagonal) elements = word_elements(state, state, term.word, 0, 0);
            for (std::size_t s = 0; s < states; ++s) {
                const double word = is_constant(term.word) ? 1.0
                                    : diagonal             ? factors[s] * sums[next][s]
                                                           : factors[s] * elements[s].real();
                values[s * cone.terms.size() + j] += term.coefficient * word;
            }
            if (diagonal && !is_constant(term.word)) ++next;
        }
    return values;
}

template <class Real>
void apply_observables(const Cone& cone, const State<Real>& ket,
                       std::span<const std::vector<double>> upstream, State<Real>& bra,
                       int threads) {
    const Split split = split_of(ket);
    const std::size_t states = states_in(ket);
    const std::vector<double> factors = factors_of(ket, threads);
    const auto weight = [&](std::size_t lane, std::size_t j, const PositionTerm& term) {
        const std::size_t s = states == 1 ? 0 : lane;
        return s < upstream.size() ? factors[s] * upstream[s][j] * term.coefficient : 0.0;
    };
    std::vector<std::size_t> z;
    std::vector<std::array<Real, kLanes>> rows;
    for (std::size_t j = 0; j < cone.terms.size(); ++j)
        for (const PositionTerm& term : cone.terms[j]) {
            if (term.word.x_mask != 0 || is_constant(term.word)) continue;
            z.push_back(split.group(term.word.z_mask));
            auto& row = rows.emplace_back();
            for (std::size_t l = 0; l < kLanes; ++l)
                row[l] = static_cast<Real>(sign_of(l & split.lane(term.word.z_mask)) *
                                           weight(l, j, term));
        }
    const std::size_t parts = (ket.groups() + kPart - 1) / kPart;
    parallel_for(parts, threads, [&](std::size_t part, int) {
        const std::size_t first = part * kPart;
        const std::size_t count = std::min(kPart, ket.groups() - first);
        AlignedBuffer<Real> weights(std::max<std::size_t>(z.size(), 1) * kLanes);
        for (std::size_t k = 0; k < z.size(); ++k)
            for (std::size_t l = 0; l < kLanes; ++l)
                weights.data()[k * kLanes + l] =
                    sign_of(first & z[k]) < 0 ? -rows[k][l] : rows[k][l];
        kernels<Real>().weigh(z, weights.data(), ket.data() + first * kGroupReals,
                              bra.data() + first * kGroupReals, count);
    });
    for (std::size_t j = 0; j < cone.terms.size(); ++j)
        for (const PositionTerm& term : cone.terms[j]) {
            if (term.word.x_mask == 0) continue;
            const GroupWord word = group_word(term.word, split);
            alignas(64) std::array<Real, kGroupReals> coefficient{};
            for (std::size_t l = 0; l < kLanes; ++l) {
                const Complex value = weight(l, j, term) * power_of_i(term.word.y_count) *
                                      sign_of((l ^ word.x_lane) & word.z_lane);
                coefficient[l] = static_cast<Real>(value.real());
                coefficient[kLanes + l] = static_cast<Real>(value.imag());
            }
            kernels<Real>().add_word(word, coefficient.data(), ket.data(), bra.data(),
                                     ket.groups());
        }
}

template std::vector<double> observe(const Cone&, const State<float>&, int);
template std::vector<double> observe(const Cone&, const State<double>&, int);
template void apply_observables(const Cone&, const State<float>&,
                                std::span<const std::vector<double>>, State<float>&, int);
template void apply_observables(const Cone&, const State<double>&,
                                std::span<const std::vector<double>>, State<double>&, int);
template std::vector<Complex> word_elements(const State<float>&, const State<float>&,
                                            const PauliWord&, std::uint64_t, std::uint64_t);
template std::vector<Complex> word_elements(const State<double>&, const State<double>&,
                                            const PauliWord&, std::uint64_t, std::uint64_t);

} // namespace wavetrain
