/// Matrices on more than two positions: any number, plainly, amplitude by amplitude.
#pragma once

#include "instruction.hpp"

namespace wavetrain {

/// psi <- U psi, or U† psi.
template <class Real>
void apply_general(const Instruction& instruction, const Slot<Real>& slot, bool adjoint, Real* psi,
                   Lanes lanes);

/// sums[(row * side + column) * kLanes + lane] (re, im) += conj(bra[row]) ket[column].
template <class Real>
void transition_general(const Instruction& instruction, const Real* bra, const Real* ket,
                        Lanes lanes, double* sums);

/// The entry of a qubit at a position that lies within a group: psi of `position` positions.
template <class Real>
void enter_lane(const Instruction& instruction, const Slot<Real>& slot, bool negative, Real* psi);
/// Its adjoint.
template <class Real>
void leave_lane(const Instruction& instruction, const Slot<Real>& slot, bool negative, Real* psi);

} // namespace wavetrain
