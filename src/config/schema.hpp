/// The one description of every key of a config: reading, ranges, choices, --set, suggestions and
/// writing are derived from it; private to the config room.
#pragma once

#include "wavetrain/config/config.hpp"

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace wavetrain {

/// Which integers a key takes, both ends included.
struct IntegerRange {
    std::int64_t least = std::numeric_limits<std::int64_t>::min();
    std::int64_t most = std::numeric_limits<std::int64_t>::max();
};

/// Which floats a key takes; an open end is left out of the range.
struct RealRange {
    double least = -std::numeric_limits<double>::infinity();
    double most = std::numeric_limits<double>::infinity();
    bool least_open = false;
    bool most_open = false;
};

/// Where a key's value lies in the options.
using Member = std::variant<bool*, std::int64_t*, std::uint64_t*, double*, std::string*,
                            std::vector<std::string>*, OptionMap*,
                            std::map<std::string, std::vector<std::string>>*>;

/// One key of a table.
struct Key {
    std::string name;
    Member member;
    std::vector<std::string> choices;     ///< of a text; empty: any text
    IntegerRange integers;                ///< of an integer
    RealRange reals;                      ///< of a float
    bool is_path = false;                 ///< taken from the config file's folder
    bool written = true;                  ///< whether config_text() writes it: it is given
    bool training = true;                 ///< whether it can change what is trained
    std::vector<std::string> layer_types; ///< the types of layers that have it; empty: all

    bool is_text() const { return std::holds_alternative<std::string*>(member); }
};

/// One table: its full name ("optimizer.schedule") and its keys, in the documentation's order.
struct KeyTable {
    std::string name;
    std::vector<Key> keys;
};
/// Short, for the files of this room; the type has another name than the model's Table, because the
/// linker knows types by name alone.
using Table = KeyTable;

/// All tables of a config; members point into `config`.
std::vector<Table> describe(Config& config);

/// The keys of one [[model.layers]] table; members point into `layer`.
std::vector<Key> describe_layer(LayerSpec& layer);

/// Whether a key belongs to a layer of this type.
bool belongs_to(const Key& key, const std::string& layer_type);

/// A key's value as it is written in TOML.
std::string value_text(const Key& key);

/// "at least 1", "above 0 and at most 1", "from 1 to 1000000".
std::string range_text(const IntegerRange& range);
std::string range_text(const RealRange& range);

} // namespace wavetrain
