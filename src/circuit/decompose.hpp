/// Gates written with simpler gates: for export to languages with a small vocabulary.
#pragma once

#include "wavetrain/circuit/circuit.hpp"

#include <span>
#include <vector>

namespace wavetrain {

/// One level down for an operation without regard to its controls: the same unitary, exactly, from
/// rows of qelib1.inc or stdgates.inc and gphase. Only some of the parts need the operation's
/// controls (they are given to those): what stands around them cancels without. Empty if there is
/// no simpler form (matrices). Controlled X, P and RZ are as simple as gates with controls get.
std::vector<Operation> simpler(const Operation& operation);

/// The operation by gates of qelib1.inc alone: uncontrolled rows, the named controlled gates, up to
/// a global phase (the controls' phases are exact). Empty for matrices.
std::vector<Operation> decompose(const Operation& operation);

/// Whether qelib1.inc, as it was published, has this operation as a gate.
bool in_version_2(const Operation& operation);

} // namespace wavetrain
