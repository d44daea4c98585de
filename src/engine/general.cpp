/// The plain path, in the state's own precision with sums in double.
#include "general.hpp"

#include <bit>

namespace wavetrain {
namespace {

template <class Real> Real* place(Real* psi, std::size_t index, std::size_t lane, Lanes lanes) {
    return lanes == Lanes::executions
               ? psi + index * kGroupReals + lane
               : psi + (index >> kLaneBits) * kGroupReals + (index & (kLanes - 1));
}

template <class Real> Complex load(const Real* p) { return {p[0], p[kLanes]}; }

template <class Real> void store(Real* p, Complex value) {
    p[0] = static_cast<Real>(value.real());
    p[kLanes] = static_cast<Real>(value.imag());
}

Complex product(Complex a, Complex b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// The indices that a block touches: for every combination of the other bits a base, and for every
/// matrix index an offset from it.
class Indices {
public:
    explicit Indices(const Instruction& instruction) : value_(instruction.general_value) {
        const std::size_t count = instruction.targets.size();
        offsets_.assign(std::size_t{1} << count, 0);
        std::uint64_t fixed = instruction.general_mask;
        for (std::size_t i = 0; i < count; ++i) {
            const std::uint64_t bit = std::uint64_t{1} << instruction.targets[i];
            fixed |= bit;
            for (std::size_t m = 0; m < offsets_.size(); ++m)
                if ((m >> (count - 1 - i)) & 1) offsets_[m] |= bit;
        }
        for (int p = 0; p < 64; ++p)
            if ((fixed >> p) & 1) fixed_.push_back(p);
        bases_ = (std::size_t{1} << instruction.position) >> fixed_.size();
    }

    std::size_t bases() const { return bases_; }
    const std::vector<std::size_t>& offsets() const { return offsets_; }

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
    std::vector<std::size_t> offsets_;
    std::size_t bases_ = 0;
};

} // namespace

template <class Real>
void apply_general(const Instruction& instruction, const Slot<Real>& slot, bool adjoint, Real* psi,
                   Lanes lanes) {
    const Indices indices(instruction);
    const auto& offsets = indices.offsets();
    std::vector<Complex> in(offsets.size());
    const std::size_t width = lanes == Lanes::executions ? kLanes : 1;
    for (std::size_t lane = 0; lane < width; ++lane) {
        const Matrix& given = slot.matrices[slot.matrices.size() == 1 ? 0 : lane];
        const Matrix matrix = adjoint ? Matrix(given.adjoint()) : given;
        for (std::size_t number = 0; number < indices.bases(); ++number) {
            const std::size_t base = indices.base(number);
            for (std::size_t c = 0; c < in.size(); ++c)
                in[c] = load(place(psi, base + offsets[c], lane, lanes));
            for (std::size_t r = 0; r < in.size(); ++r) {
                Complex sum = 0;
                for (std::size_t c = 0; c < in.size(); ++c)
                    sum += product(
                        matrix(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(c)), in[c]);
                store(place(psi, base + offsets[r], lane, lanes), sum);
            }
        }
    }
}

template <class Real>
void transition_general(const Instruction& instruction, const Real* bra, const Real* ket,
                        Lanes lanes, double* sums) {
    const Indices indices(instruction);
    const auto& offsets = indices.offsets();
    const std::size_t side = offsets.size();
    const std::size_t width = lanes == Lanes::executions ? kLanes : 1;
    for (std::size_t lane = 0; lane < width; ++lane)
        for (std::size_t number = 0; number < indices.bases(); ++number) {
            const std::size_t base = indices.base(number);
            for (std::size_t r = 0; r < side; ++r) {
                const Complex b = load(place(bra, base + offsets[r], lane, lanes));
                for (std::size_t c = 0; c < side; ++c) {
                    const Complex k = load(place(ket, base + offsets[c], lane, lanes));
                    const Complex value = product(std::conj(b), k);
                    double* entry = sums + 2 * ((r * side + c) * kLanes + lane);
                    entry[0] += value.real();
                    entry[1] += value.imag();
                }
            }
        }
}

template <class Real>
void enter_lane(const Instruction& instruction, const Slot<Real>& slot, bool negative, Real* psi) {
    const std::size_t half = std::size_t{1} << instruction.position;
    const Complex low{slot.product[0], slot.product[1]};
    const Complex high{slot.product[2], slot.product[3]};
    for (std::size_t i = 0; i < half; ++i) {
        const bool odd = std::popcount(i & instruction.word.z_lane) % 2 != 0;
        const Complex x = load(psi + i);
        store(psi + i, product(low, x));
        store(psi + half + i, (odd != negative ? -1.0 : 1.0) * product(high, x));
    }
}

template <class Real>
void leave_lane(const Instruction& instruction, const Slot<Real>& slot, bool negative, Real* psi) {
    const std::size_t half = std::size_t{1} << instruction.position;
    const Complex low{slot.product[0], -slot.product[1]};
    const Complex high{slot.product[2], -slot.product[3]};
    for (std::size_t i = 0; i < half; ++i) {
        const bool odd = std::popcount(i & instruction.word.z_lane) % 2 != 0;
        const Complex x = product(low, load(psi + i));
        const Complex y = product(high, load(psi + half + i));
        store(psi + i, odd != negative ? x - y : x + y);
        store(psi + half + i, Complex{0.0});
    }
}

template void apply_general(const Instruction&, const Slot<float>&, bool, float*, Lanes);
template void apply_general(const Instruction&, const Slot<double>&, bool, double*, Lanes);
template void transition_general(const Instruction&, const float*, const float*, Lanes, double*);
template void transition_general(const Instruction&, const double*, const double*, Lanes, double*);
template void enter_lane(const Instruction&, const Slot<float>&, bool, float*);
template void enter_lane(const Instruction&, const Slot<double>&, bool, double*);
template void leave_lane(const Instruction&, const Slot<float>&, bool, float*);
template void leave_lane(const Instruction&, const Slot<double>&, bool, double*);

} // namespace wavetrain
