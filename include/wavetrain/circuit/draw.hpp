/// Text drawings of circuits.
#pragma once

#include "wavetrain/circuit/circuit.hpp"

#include <string>

namespace wavetrain {

/// A drawing in Unicode box characters: a wire per qubit, time from left to right, gates as early
/// as they can stand. ● and ○ are positive and negative controls, ⊕ is a controlled X, two × a
/// SWAP; other gates are boxes with their angles (multiples of pi as such, other numbers to four
/// digits). Global phases are listed below. Lines are at most `width` characters long where the
/// widest gate allows it (0: no limit): the drawing goes on below, from » to «.
std::string draw(const Circuit& circuit, int width = 0);

} // namespace wavetrain
