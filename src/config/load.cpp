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

/// Walks through a text outside its comments and its texts in quotes.
class BareText {
public:
    explicit BareText(std::string_view text) : text_(text) {
        if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3; // a byte-order mark
    }

    /// Refuses what no bare key and no value may hold. (toml++ 3 takes some such characters for
    /// impossible, in the compiler's sense.)
    void check(const std::string& file) {
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (static_cast<unsigned char>(c) >= 0x80)
                fail_at(place(file), Kind::usage,
                        "characters beyond ASCII may stand only in comments and in quotes");
            if (c == '#')
                at_ = std::min(text_.find('\n', at_), text_.size());
            else if (c == '"' || c == '\'')
                skip_quoted(c);
            else
                ++at_;
        }
    }

private:
    Place place(const std::string& file) const {
        const std::string_view before = text_.substr(0, at_);
        const std::size_t newline = before.rfind('\n');
        const std::string_view line =
            newline == std::string_view::npos ? before : before.substr(newline + 1);
        // Columns count characters, not bytes.
        const auto column = std::count_if(line.begin(), line.end(), [](char c) {
            return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
        });
        return {file, 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n')),
                1 + static_cast<int>(column)};
    }

    /// To behind the closing quotes; an open text on one line ends with the line.
    void skip_quoted(char quote) {
        const std::string three(3, quote);
        const bool lines = text_.substr(at_).starts_with(three);
        at_ += lines ? 3 : 1;
        while (at_ < text_.size()) {
            if (text_[at_] == '\\' && quote == '"') {
                at_ += 2;
            } else if (lines && text_.substr(at_).starts_with(three)) {
                at_ += 3;
                // Up to two more quotes before the closing ones belong to the text.
                for (int more = 0; more < 2 && at_ < text_.size() && text_[at_] == quote; ++more)
                    ++at_;
                return;
            } else if (!lines && (text_[at_] == quote || text_[at_] == '\n')) {
                ++at_;
                return;
            } else {
                ++at_;
            }
        }
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

} // namespace

TomlValue parse_toml(std::string_view text, const std::string& file) {
    BareText(text).check(file);
    try {
        return convert(toml::parse(text, file), {file, 1, 1}, file);
    } catch (const toml::parse_error& error) {
        fail_at(place_of(error.source(), file), Kind::usage, "{}",
                std::string(error.description()));
    }
}

} // namespace wavetrain
