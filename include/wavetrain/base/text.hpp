/// Small text helpers: splitting, trimming, numbers, the nearest known name.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace wavetrain {

std::vector<std::string> split(std::string_view text, char separator);
std::string_view trim(std::string_view text);

/// The whole text as a double (surrounding blanks allowed), independent of the locale; nothing if
/// it is no number. "nan" and "inf" are numbers here.
std::optional<double> parse_double(std::string_view text);
/// The whole text as an integer; nothing if it is none.
std::optional<long long> parse_integer(std::string_view text);

/// The candidate with the smallest edit distance to `name`, if close enough to be a slip.
std::optional<std::string> nearest_name(std::string_view name,
                                        std::span<const std::string> candidates);

/// " (did you mean 'x'?)" or nothing.
std::string suggestion(std::string_view name, std::span<const std::string> candidates);

/// The shortest decimal text that reads back to the same double.
std::string shortest(double value);

/// Whether a text is well-formed UTF-8 (RFC 3629).
bool is_utf8(std::string_view text);

} // namespace wavetrain
