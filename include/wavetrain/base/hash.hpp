/// SHA-256 as hexadecimal text.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace wavetrain {

/// SHA-256 of some bytes, 64 lower-case hexadecimal digits.
std::string sha256(std::string_view bytes);
/// SHA-256 of doubles as they lie in memory (little-endian on every supported machine).
std::string sha256(std::span<const double> values);

} // namespace wavetrain
