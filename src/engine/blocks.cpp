/// Block by block on one state.
#include "wavetrain/engine/blocks.hpp"

#include "execute.hpp"
#include "observe.hpp"

namespace wavetrain {
namespace {

/// A part of a block as an instruction on the whole state.
template <class Real> struct Part {
    Instruction instruction;
    Slot<Real> slot;
};

template <class Real>
std::vector<Part<Real>> parts_of(const State<Real>& state, const Block& block) {
    const int there = block.positions > 0 ? block.positions : state.positions();
    std::vector<Part<Real>> parts;
    for (MadeInstruction& made :
         make_instructions(block, there, all_positions(state.positions()), state.lanes())) {
        Part<Real>& part = parts.emplace_back();
        part.instruction = std::move(made.instruction);
        part.slot.pattern = made.pattern;
        part.slot.op = part.instruction.op;
        part.slot.target_count = static_cast<int>(block.targets.size());
    }
    return parts;
}

bool is_nothing(const Block& block, const BoundBlock& bound) {
    return bound.identity && block.flips.empty();
}

} // namespace

template <class Real> void apply(State<Real>& state, const Block& block, const BoundBlock& bound) {
    if (is_nothing(block, bound)) return;
    for (Part<Real>& part : parts_of(state, block)) {
        fill_slot(part.slot, block, bound, -1);
        execute(part.instruction, part.slot, 0, state.data(), state.lanes());
    }
}

template <class Real> void undo(State<Real>& state, const Block& block, const BoundBlock& bound) {
    if (is_nothing(block, bound)) return;
    for (Part<Real>& part : parts_of(state, block)) {
        fill_slot(part.slot, block, bound, -1);
        execute_back(part.instruction, part.slot, 0, state.data(), state.lanes());
    }
}

template <class Real>
Matrix transition(const State<Real>& bra, const State<Real>& ket, const Block& block) {
    Matrix sum;
    for (Part<Real>& part : parts_of(ket, block)) {
        part.slot.sums.resize(sums_length(part.slot.op, part.slot.target_count), 0.0);
        take_transition(part.instruction, bra.data(), ket.data(), ket.lanes(),
                        part.slot.sums.data());
        const Matrix own = fold_sums(part.slot, block, 0, kLanes);
        if (sum.size() == 0)
            sum = own;
        else
            sum += own;
    }
    return sum;
}

template <class Real>
Complex pauli_element(const State<Real>& bra, const State<Real>& ket, const PauliWord& word,
                      std::uint64_t mask, std::uint64_t value) {
    return word_elements(bra, ket, word, mask, value).front();
}

template <class Real> double expectation(const State<Real>& state, const PauliWord& word) {
    return pauli_element(state, state, word, 0, 0).real();
}

template <class Real> double norm_squared(const State<Real>& state) {
    return expectation(state, PauliWord{});
}

template void apply(State<float>&, const Block&, const BoundBlock&);
template void undo(State<float>&, const Block&, const BoundBlock&);
template Matrix transition(const State<float>&, const State<float>&, const Block&);
template Complex pauli_element(const State<float>&, const State<float>&, const PauliWord&,
                               std::uint64_t, std::uint64_t);
template double expectation(const State<float>&, const PauliWord&);
template double norm_squared(const State<float>&);

template void apply(State<double>&, const Block&, const BoundBlock&);
template void undo(State<double>&, const Block&, const BoundBlock&);
template Matrix transition(const State<double>&, const State<double>&, const Block&);
template Complex pauli_element(const State<double>&, const State<double>&, const PauliWord&,
                               std::uint64_t, std::uint64_t);
template double expectation(const State<double>&, const PauliWord&);
template double norm_squared(const State<double>&);

} // namespace wavetrain
