/// Executing one instruction on a piece of a state.
#pragma once

#include "general.hpp"
#include "instruction.hpp"
#include "simd_target.hpp"

namespace wavetrain {

/// psi <- U psi. `outer`: the index of the piece among the positions of the state.
template <class Real>
void execute(const Instruction& instruction, const Slot<Real>& slot, std::uint64_t outer, Real* psi,
             Lanes lanes);

/// psi <- U† psi.
template <class Real>
void execute_back(const Instruction& instruction, const Slot<Real>& slot, std::uint64_t outer,
                  Real* psi, Lanes lanes);

/// Undoes a block on ket and bra; takes its transition matrix on the way if `sums` is not null.
template <class Real>
void execute_back(const Instruction& instruction, const Slot<Real>& slot, std::uint64_t outer,
                  Real* ket, Real* bra, Lanes lanes, double* sums);

/// Adds the transition matrix on the targets: as the ket is before and the bra after the block.
template <class Real>
void take_transition(const Instruction& instruction, const Real* bra, const Real* ket, Lanes lanes,
                     double* sums);

} // namespace wavetrain
