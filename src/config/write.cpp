/// Options into TOML: the resolved config, and which keys of two configs differ.
#include "schema.hpp"
#include "toml.hpp"

#include "wavetrain/base/text.hpp"

#include <algorithm>
#include <filesystem>

namespace wavetrain {

namespace {

std::string list_text(const std::vector<std::string>& texts) {
    std::vector<std::string> quoted;
    for (const std::string& text : texts) quoted.push_back(quoted_toml(text));
    return format("[{}]", fmt::join(quoted, ", "));
}

std::string name_text(const std::string& name) {
    const bool bare = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || c == '-';
    });
    return bare ? name : quoted_toml(name);
}

/// Writes any kind of value as TOML.
struct ToText {
    std::string operator()(bool value) const { return value ? "true" : "false"; }
    std::string operator()(std::int64_t value) const { return std::to_string(value); }
    std::string operator()(std::uint64_t value) const { return std::to_string(value); }
    std::string operator()(double value) const {
        std::string text = shortest(value);
        // Without a point it would be read back as an integer.
        if (text.find_first_of(".e") == std::string::npos) text += ".0";
        return text;
    }
    std::string operator()(const std::string& value) const { return quoted_toml(value); }
    std::string operator()(const std::vector<std::string>& value) const { return list_text(value); }
    std::string operator()(const OptionMap& value) const {
        std::vector<std::string> parts;
        for (const auto& [name, option] : value)
            parts.push_back(name_text(name) + " = " + std::visit(*this, option));
        return format("{{ {} }}", fmt::join(parts, ", "));
    }
    std::string operator()(const std::map<std::string, std::vector<std::string>>& value) const {
        std::vector<std::string> parts;
        for (const auto& [name, columns] : value)
            parts.push_back(name_text(name) + " = " +
                            (columns.size() == 1 ? quoted_toml(columns[0]) : list_text(columns)));
        return format("{{ {} }}", fmt::join(parts, ", "));
    }
    template <class Value> std::string operator()(Value* value) const { return (*this)(*value); }
};

void append_keys(std::string& text, const std::vector<Key>& keys, ConfigPart part) {
    for (const Key& key : keys)
        if (key.written && (part == ConfigPart::everything || key.training))
            text += key.name + " = " + value_text(key) + "\n";
}

/// The keys of a layer that its type has.
std::vector<Key> layer_keys(LayerSpec& layer) {
    std::vector<Key> keys = describe_layer(layer);
    for (Key& key : keys) key.written = key.written && belongs_to(key, layer.type);
    return keys;
}

std::string relative_to(const std::string& path, const std::string& folder) {
    if (path.empty() || folder.empty() || std::filesystem::path(path).is_absolute()) return path;
    // By the names alone: the folder may not exist yet.
    const auto from = std::filesystem::absolute(folder).lexically_normal();
    const auto moved = std::filesystem::absolute(path).lexically_normal().lexically_relative(from);
    return moved.empty() ? path : moved.string();
}

/// Makes paths relative to the folder in which the text will lie.
void move_paths(Config& config, const std::string& folder) {
    const auto move = [&](std::vector<Key>&& keys) {
        for (const Key& key : keys)
            if (key.is_path) {
                std::string& path = *std::get<std::string*>(key.member);
                path = relative_to(path, folder);
            }
    };
    for (Table& table : describe(config)) move(std::move(table.keys));
    for (LayerSpec& layer : config.model.layers) move(describe_layer(layer));
}

void compare_keys(const std::string& table, const std::vector<Key>& before,
                  const std::vector<Key>& after, ConfigPart part,
                  std::vector<std::string>& changed) {
    for (std::size_t index = 0; index < before.size(); ++index) {
        if (part == ConfigPart::training && !before[index].training) continue;
        if (value_text(before[index]) != value_text(after[index]))
            changed.push_back(table + "." + before[index].name);
    }
}

} // namespace

std::string quoted_toml(std::string_view text) {
    const bool lines = text.find('\n') != std::string_view::npos;
    std::string quoted = lines ? "\"\"\"\n" : "\"";
    for (const char c : text) {
        const auto code = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            quoted += '\\';
            quoted += c;
        } else if (c == '\n' || c == '\t') {
            quoted += c;
        } else if (code < 32 || code == 127) {
            quoted += format("\\u{:04X}", code);
        } else {
            quoted += c;
        }
    }
    return quoted + (lines ? "\"\"\"" : "\"");
}

std::string value_text(const Key& key) { return std::visit(ToText(), key.member); }

std::string config_text(const Config& config, ConfigPart part, const std::string& folder) {
    Config copy = config;
    move_paths(copy, folder);
    std::string text;
    for (const Table& table : describe(copy)) {
        std::string keys;
        append_keys(keys, table.keys, part);
        if (!keys.empty()) text += (text.empty() ? "[" : "\n[") + table.name + "]\n" + keys;
        if (table.name != "model") continue;
        for (LayerSpec& layer : copy.model.layers) {
            text += "\n[[model.layers]]\n";
            append_keys(text, layer_keys(layer), part);
        }
    }
    return text;
}

std::vector<std::string> changed_keys(const Config& before, const Config& after, ConfigPart part) {
    Config first = before;
    Config second = after;
    std::vector<std::string> changed;
    const std::vector<Table> old_tables = describe(first);
    const std::vector<Table> new_tables = describe(second);
    for (std::size_t index = 0; index < old_tables.size(); ++index)
        compare_keys(old_tables[index].name, old_tables[index].keys, new_tables[index].keys, part,
                     changed);
    if (first.model.layers.size() != second.model.layers.size()) {
        changed.push_back("model.layers");
        return changed;
    }
    for (std::size_t index = 0; index < first.model.layers.size(); ++index)
        compare_keys(format("model.layers[{}]", index), describe_layer(first.model.layers[index]),
                     describe_layer(second.model.layers[index]), part, changed);
    return changed;
}

} // namespace wavetrain
