/// Which program this is.
#pragma once

#include <string_view>

namespace wavetrain {

/// "0.1.0"
std::string_view version();
/// The commit it was built from, or "unknown".
std::string_view commit();

} // namespace wavetrain
