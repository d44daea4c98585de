/// OpenQASM 2 and 3: reading circuits and writing them.
///
/// What is read of version 3: input float/angle (an angle is a float, not taken modulo 2 pi) and
/// arrays of them, const, qubit, bit, gate definitions, ctrl/negctrl/inv/pow @, gphase, broadcast,
/// barrier, final measurements, include, and two pragmas (unitary, pauli_rotation). Everything else
/// is refused at its place. Version 2 is read as a whole, except if, reset and measuring in the
/// middle. A text without an OPENQASM line is version 2 if it includes qelib1.inc, else version 3.
///
/// Numbers: everything is a double but integer literals and constants; a quotient of two integers
/// stays an integer where it is whole and is exact otherwise (1/2 is 0.5, as in the specification's
/// pow(1/2)). A power `**` (also
/// `^` in version 2) binds from the right and before a sign.
///
/// pow(k) @ with a whole k repeats the gate or its inverse. Any other k (also an input) needs a
/// gate with a power of its own: rotations, phases, the P^t family, fixed gates that are powers of
/// an involution, R, PhasedX, fSim and their controlled forms: the angle is scaled.
#pragma once

#include "wavetrain/circuit/circuit.hpp"

#include <functional>
#include <span>
#include <string>

namespace wavetrain {

/// Returns the text of the file at a path; throws an Error if it cannot.
using TextReader = std::function<std::string(const std::string& path)>;

/// The text of a file; an `environment` error if it is missing or cannot be read.
std::string read_text_file(const std::string& path);

/// Reads OpenQASM. `file` is the text's own path: places in errors name it, and includes are
/// relative to its folder. Includes of stdgates.inc, qelib1.inc and wavetrain.inc are built in;
/// others are fetched with `read`. Operations carry the place of the outermost call that they come
/// from; qubits are numbered in the order of declaration. `usage` errors carry file, line and
/// column; a file that cannot be included keeps the reader's kind, at the include's place.
Circuit parse_qasm(const std::string& text, const std::string& file,
                   const TextReader& read = read_text_file);

/// Writes the circuit as OpenQASM 2 or 3.
///
/// `bound` is empty (no symbol is bound) or holds a value per symbol, NaN where it is not bound.
/// Version 2 needs every symbol bound, keeps the unitary up to a global phase, writes gates beyond
/// qelib1.inc as `gate` definitions and refuses matrices (`usage`, by name). Only what qelib1.inc
/// had when it was published counts as its own: other programs read no more. Version 3 keeps the
/// unitary and declares what is not bound as `input`; an input whose name is taken by a gate or a
/// word of the language gets an underscore, with a comment.
std::string write_qasm(const Circuit& circuit, int version, std::span<const double> bound = {});

} // namespace wavetrain
