/// From instructions to kernels.
#include "execute.hpp"

#include <bit>

namespace wavetrain {
namespace {

/// The signs of the lanes of an entry.
template <class Real>
std::array<Real, kLanes> lane_signs(const Instruction& instruction, bool negative) {
    std::array<Real, kLanes> signs;
    for (std::size_t l = 0; l < kLanes; ++l) {
        const bool odd = std::popcount(l & instruction.word.z_lane) % 2 != 0;
        signs[l] = odd != negative ? Real{-1} : Real{1};
    }
    return signs;
}

template <class Real>
void execute_entry(const Instruction& instruction, const Slot<Real>& slot, std::uint64_t outer,
                   bool back, Real* psi, Lanes lanes) {
    const bool negative = std::popcount(outer & instruction.outer_signs) % 2 != 0;
    if (lanes == Lanes::amplitudes && instruction.position < kLaneBits) {
        if (back)
            leave_lane(instruction, slot, negative, psi);
        else
            enter_lane(instruction, slot, negative, psi);
        return;
    }
    const int bit = instruction.position - (lanes == Lanes::amplitudes ? kLaneBits : 0);
    alignas(64) const std::array<Real, kLanes> signs = lane_signs<Real>(instruction, negative);
    const auto kernel = back ? kernels<Real>().leave : kernels<Real>().enter;
    kernel(slot.product, instruction.word.z, signs.data(), psi, std::size_t{1} << bit);
}

template <class Real>
void execute_one(const Instruction& instruction, const Slot<Real>& slot, std::uint64_t outer,
                 bool back, Real* psi, Lanes lanes) {
    const KernelTable<Real>& table = kernels<Real>();
    const std::size_t bases = instruction.task.grid.bases;
    const Real* numbers = back ? slot.backward.data() : slot.forward.data();
    switch (instruction.op) {
    case Op::matrix: table.apply(instruction.task, numbers, psi, 0, bases); return;
    case Op::diagonal: table.apply_diagonal(instruction.task, numbers, psi, 0, bases); return;
    case Op::swap:
        table.swap_rows(instruction.task, instruction.row_a, instruction.row_b, psi, 0, bases);
        return;
    case Op::rotation:
        table.rotate_word(instruction.word, instruction.control_mask, instruction.control_value,
                          numbers, numbers + kGroupReals, psi, bases);
        return;
    case Op::enter: execute_entry(instruction, slot, outer, back, psi, lanes); return;
    case Op::general: apply_general(instruction, slot, back, psi, lanes); return;
    }
}

} // namespace

template <class Real>
void execute(const Instruction& instruction, const Slot<Real>& slot, std::uint64_t outer, Real* psi,
             Lanes lanes) {
    if (!slot.identity) execute_one(instruction, slot, outer, false, psi, lanes);
}

template <class Real>
void execute_back(const Instruction& instruction, const Slot<Real>& slot, std::uint64_t outer,
                  Real* psi, Lanes lanes) {
    if (!slot.identity) execute_one(instruction, slot, outer, true, psi, lanes);
}

template <class Real>
void execute_back(const Instruction& instruction, const Slot<Real>& slot, std::uint64_t outer,
                  Real* ket, Real* bra, Lanes lanes, double* sums) {
    if (instruction.op == Op::matrix && !slot.identity) {
        kernels<Real>().step_back(instruction.task, slot.backward.data(), ket, bra, 0,
                                  instruction.task.grid.bases, sums);
        return;
    }
    execute_back(instruction, slot, outer, ket, lanes);
    // A rotation commutes with its Pauli word: the element is the same before and after, but ket
    // and bra must both be of one moment.
    if (sums && instruction.op != Op::rotation) take_transition(instruction, bra, ket, lanes, sums);
    execute_back(instruction, slot, outer, bra, lanes);
    if (sums && instruction.op == Op::rotation) take_transition(instruction, bra, ket, lanes, sums);
}

template <class Real>
void take_transition(const Instruction& instruction, const Real* bra, const Real* ket, Lanes lanes,
                     double* sums) {
    const KernelTable<Real>& table = kernels<Real>();
    switch (instruction.op) {
    case Op::matrix:
    case Op::diagonal:
    case Op::swap:
        table.transition(instruction.task, bra, ket, 0, instruction.task.grid.bases, sums);
        return;
    case Op::rotation:
        table.word_element(instruction.word, instruction.control_mask, instruction.control_value,
                           bra, ket, instruction.task.grid.bases, sums);
        return;
    case Op::general: transition_general(instruction, bra, ket, lanes, sums); return;
    case Op::enter: return;
    }
}

template void execute(const Instruction&, const Slot<float>&, std::uint64_t, float*, Lanes);
template void execute(const Instruction&, const Slot<double>&, std::uint64_t, double*, Lanes);
template void execute_back(const Instruction&, const Slot<float>&, std::uint64_t, float*, Lanes);
template void execute_back(const Instruction&, const Slot<double>&, std::uint64_t, double*, Lanes);
template void execute_back(const Instruction&, const Slot<float>&, std::uint64_t, float*, float*,
                           Lanes, double*);
template void execute_back(const Instruction&, const Slot<double>&, std::uint64_t, double*, double*,
                           Lanes, double*);
template void take_transition(const Instruction&, const float*, const float*, Lanes, double*);
template void take_transition(const Instruction&, const double*, const double*, Lanes, double*);

} // namespace wavetrain
