/// Block by block on one state.
#include "wavetrain/engine/blocks.hpp"

#include "execute.hpp"
#include "observe.hpp"

namespace wavetrain {
namespace {

/// A block as an instruction on the whole state.
template <class Real> struct Single {
    Instruction instruction;
    Slot<Real> slot;

    Single(const State<Real>& state, const Block& block) {
        const int there = block.positions > 0 ? block.positions : state.positions();
        instruction = make_instruction(block, there, all_positions(state.positions()),
                                       state.lanes(), slot.pattern);
        slot.op = instruction.op;
        slot.target_count = static_cast<int>(block.targets.size());
    }
};

} // namespace

template <class Real> void apply(State<Real>& state, const Block& block, const BoundBlock& bound) {
    if (bound.identity) return;
    Single<Real> single(state, block);
    fill_slot(single.slot, block, bound, -1);
    execute(single.instruction, single.slot, 0, state.data(), state.lanes());
}

template <class Real> void undo(State<Real>& state, const Block& block, const BoundBlock& bound) {
    if (bound.identity) return;
    Single<Real> single(state, block);
    fill_slot(single.slot, block, bound, -1);
    execute_back(single.instruction, single.slot, 0, state.data(), state.lanes());
}

template <class Real>
Matrix transition(const State<Real>& bra, const State<Real>& ket, const Block& block) {
    Single<Real> single(ket, block);
    single.slot.sums.resize(sums_length(single.slot.op, single.slot.target_count), 0.0);
    take_transition(single.instruction, bra.data(), ket.data(), ket.lanes(),
                    single.slot.sums.data());
    return fold_sums(single.slot, block, 0, kLanes);
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
