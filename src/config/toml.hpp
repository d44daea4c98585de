/// A TOML text as a tree of plain values with their places; private to the config room.
#pragma once

#include "wavetrain/base/error.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace wavetrain {

struct TomlMember;

/// A TOML value; which of the fields holds it, `type` says.
struct TomlValue {
    enum class Type { boolean, integer, real, text, list, table, time };

    Type type = Type::table;
    bool boolean = false;
    std::int64_t integer = 0;
    double real = 0;
    std::string text;
    std::vector<TomlValue> items;
    std::vector<TomlMember> members; ///< in the order of the text
    Place place;                     ///< of the key for members of tables, of the value otherwise
    bool from_set = false;           ///< given by --set, not by the text

    /// The member of a table; null if there is none.
    const TomlValue* find(std::string_view name) const;
    TomlValue* find(std::string_view name);
    /// "an integer", "a string", ...
    std::string_view type_name() const;
};

/// A named value of a table. (Not a std::pair: a vector, but no pair, may be declared with a type
/// that is still incomplete.)
struct TomlMember {
    std::string name;
    TomlValue value;
};

/// Reads a text into its root table; a `usage` error with file:line:col where it is no TOML.
TomlValue parse_toml(std::string_view text, const std::string& file);

/// A text as a TOML string: in quotes on one line, or in triple quotes where it has several.
std::string quoted_toml(std::string_view text);

} // namespace wavetrain
