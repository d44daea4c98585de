/// What can be done to one state, block by block: applied, undone, accumulated; Pauli words. (For
/// whole cones and many executions there is the Simulator.)
#pragma once

#include "wavetrain/engine/bound.hpp"
#include "wavetrain/engine/state.hpp"

namespace wavetrain {

/// Applies a bound block in place: psi <- U psi. A late qubit enters at its position.
template <class Real> void apply(State<Real>& state, const Block& block, const BoundBlock& bound);

/// Undoes a bound block in place: psi <- U† psi.
template <class Real> void undo(State<Real>& state, const Block& block, const BoundBlock& bound);

/// The transition matrix on the block's targets, M(r, c) = sum over the rest of conj(bra[r])
/// ket[c], where the block's controls hold. For the ket before and the bra after a gate with matrix
/// U, 2 Re sum dU(r, c) M(r, c) is the derivative of the expectation. Summed in double.
template <class Real>
Matrix transition(const State<Real>& bra, const State<Real>& ket, const Block& block);

/// <bra| P |ket>, restricted to indices where (index & mask) == value. Summed in double.
template <class Real>
Complex pauli_element(const State<Real>& bra, const State<Real>& ket, const PauliWord& word,
                      std::uint64_t mask, std::uint64_t value);

/// <psi| P |psi>.
template <class Real> double expectation(const State<Real>& state, const PauliWord& word);

/// The sum of |amplitude|^2, in double.
template <class Real> double norm_squared(const State<Real>& state);

} // namespace wavetrain
