/// A value of a free-form option table: what TOML has as a scalar.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>

namespace wavetrain {

using OptionValue = std::variant<bool, std::int64_t, double, std::string>;
using OptionMap = std::map<std::string, OptionValue>;

} // namespace wavetrain
