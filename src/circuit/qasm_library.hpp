/// The built-in includes of OpenQASM.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace wavetrain::qasm {

/// A built-in include. Gates that are rows of the gate table keep their names; the others are
/// defined by a text that sees the gate table (so `u3` is the table's) and `ctrl @`.
struct Library {
    std::string_view name;
    bool standard;                          ///< its names win over wavetrain.inc's
    std::span<const std::string_view> rows; ///< names of rows
    std::string_view text;                  ///< further definitions
    std::string_view later;                 ///< names that a text may define anew: they came
                                            ///< to this include after its first version
};

/// The library with this name, or null.
const Library* find_library(std::string_view name);
/// What is there before any include: U and CX of version 2, U and gphase of version 3.
const Library& built_in_gates(int version);
/// The include that brings a gate of this name in this version, or nothing.
std::string_view library_with(std::string_view gate, int version);
/// Whether `name` is a word in a list of words.
bool has_word(std::string_view words, std::string_view name);

/// Words of the language that cannot be names.
bool is_reserved(std::string_view word, int version);

} // namespace wavetrain::qasm
