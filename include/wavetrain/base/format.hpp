/// Text formatting: the one place for fmt.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace wavetrain {

using fmt::format;
using fmt::format_string;

} // namespace wavetrain
