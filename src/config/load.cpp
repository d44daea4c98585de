/// TOML texts into plain values: the one place for toml++.
#include "toml.hpp"

#include <algorithm>

#include <toml++/toml.h>

namespace wavetrain {

namespace {

Place place_of(const toml::source_region& region, const std::string& file) {
    return {file, static_cast<int>(region.begin.line), static_cast<int>(region.begin.column)};
}

TomlValue convert(const toml::node& node, const Place& place, const std::string& file) {
    using Type = TomlValue::Type;
    TomlValue value;
    value.place = place;
    if (const auto* boolean = node.as_boolean()) {
        value.type = Type::boolean;
        value.boolean = boolean->get();
    } else if (const auto* integer = node.as_integer()) {
        value.type = Type::integer;
        value.integer = integer->get();
    } else if (const auto* real = node.as_floating_point()) {
        value.type = Type::real;
        value.real = real->get();
    } else if (const auto* text = node.as_string()) {
        value.type = Type::text;
        value.text = text->get();
    } else if (const auto* list = node.as_array()) {
        value.type = Type::list;
        for (const toml::node& item : *list)
            value.items.push_back(convert(item, place_of(item.source(), file), file));
    } else if (const auto* table = node.as_table()) {
        value.type = Type::table;
        for (const auto& [key, member] : *table)
            value.members.push_back(
                {std::string(key.str()), convert(member, place_of(key.source(), file), file)});
        // toml++ sorts by name; mistakes are to be found in the order of the text.
        std::stable_sort(value.members.begin(), value.members.end(),
                         [](const auto& a, const auto& b) {
                             return std::pair(a.value.place.line, a.value.place.column) <
                                    std::pair(b.value.place.line, b.value.place.column);
                         });
    } else {
        value.type = Type::time;
    }
    return value;
}

} // namespace

TomlValue parse_toml(std::string_view text, const std::string& file) {
    try {
        return convert(toml::parse(text, file), {file, 1, 1}, file);
    } catch (const toml::parse_error& error) {
        fail_at(place_of(error.source(), file), Kind::usage, "{}",
                std::string(error.description()));
    }
}

} // namespace wavetrain
