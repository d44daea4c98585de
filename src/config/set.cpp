/// --set KEY=VALUE: a value put into the TOML tree.
#include "set.hpp"
#include "schema.hpp"

#include "wavetrain/base/text.hpp"

#include <algorithm>

namespace wavetrain {

namespace {

using Type = TomlValue::Type;

/// One part of a key: "layers[2]" is {layers, 2}.
struct Step {
    std::string name;
    std::optional<std::size_t> index;
};

std::vector<Step> steps_of(const std::string& key, const Place& place) {
    std::vector<Step> steps;
    for (const std::string& part : split(key, '.')) {
        Step step{part, std::nullopt};
        if (const std::size_t open = part.find('['); open != std::string::npos) {
            const auto index = parse_integer(
                part.ends_with(']') ? part.substr(open + 1, part.size() - open - 2) : "");
            if (!index || *index < 0) fail_at(place, Kind::usage, "'{}' is not NAME[NUMBER]", part);
            step = {part.substr(0, open), static_cast<std::size_t>(*index)};
        }
        if (step.name.empty()) fail_at(place, Kind::usage, "a part of the key is empty");
        steps.push_back(std::move(step));
    }
    return steps;
}

/// Whether the key takes a string, so that its quotes may be left out.
bool takes_text(const std::vector<Step>& steps) {
    const std::string& name = steps.back().name;
    const auto is_text = [&](const std::vector<Key>& keys) {
        return std::any_of(keys.begin(), keys.end(),
                           [&](const Key& key) { return key.name == name && key.is_text(); });
    };
    if (steps.size() == 3 && steps[0].name == "model" && steps[1].name == "layers") {
        LayerSpec layer;
        return is_text(describe_layer(layer));
    }
    std::string table;
    for (std::size_t index = 0; index + 1 < steps.size(); ++index)
        table += (index == 0 ? "" : ".") + steps[index].name;
    Config config;
    for (const Table& candidate : describe(config))
        if (candidate.name == table) return is_text(candidate.keys);
    return false;
}

/// Gives a value and all it holds the place of the option.
void set_places(TomlValue& value, const Place& place) {
    value.place = place;
    value.from_set = true;
    for (TomlValue& item : value.items) set_places(item, place);
    for (auto& member : value.members) set_places(member.value, place);
}

TomlValue read_value(const std::string& text, bool as_text, const Place& place) {
    TomlValue plain;
    plain.type = Type::text;
    plain.text = text;
    const std::string_view trimmed = trim(text);
    const char first = trimmed.empty() ? ' ' : trimmed.front();
    const bool quoted = first == '"' || first == '\'';
    if (as_text && !quoted) return plain;
    try {
        TomlValue root = parse_toml("value = " + text, place.file);
        if (root.members.size() == 1 && root.members[0].name == "value")
            return root.members[0].value;
    } catch (const Error& error) {
        if (quoted || first == '[' || first == '{')
            fail_at(place, Kind::usage, "the value {} is not TOML: {}", text,
                    std::string_view(error.what()).substr(place_prefix(error.place()).size()));
    }
    return plain;
}

/// The value that a step leads to, created where it is missing.
TomlValue& follow(TomlValue& table, const Step& step, const Place& place) {
    if (table.type != Type::table)
        fail_at(place, Kind::usage, "'{}' is inside a value that is not a table", step.name);
    TomlValue* value = table.find(step.name);
    if (value == nullptr) {
        TomlValue made;
        made.place = place;
        made.from_set = true;
        table.members.push_back({step.name, std::move(made)});
        value = &table.members.back().value;
        if (step.index) value->type = Type::list;
    }
    if (!step.index) return *value;
    if (value->type != Type::list || *step.index >= value->items.size())
        fail_at(place, Kind::usage, "there is no '{}[{}]' in the config", step.name, *step.index);
    return value->items[*step.index];
}

} // namespace

void apply_set(TomlValue& root, const std::string& set) {
    const std::size_t equals = set.find('=');
    if (equals == std::string::npos) fail(Kind::usage, "--set {}: KEY=VALUE is expected", set);
    const std::string key(trim(std::string_view(set).substr(0, equals)));
    const Place place{"--set " + key};
    const std::vector<Step> steps = steps_of(key, place);
    TomlValue value = read_value(set.substr(equals + 1), takes_text(steps), place);
    set_places(value, place);
    TomlValue* target = &root;
    for (const Step& step : steps) target = &follow(*target, step, place);
    *target = std::move(value);
}

const TomlValue* TomlValue::find(std::string_view name) const {
    for (const auto& member : members)
        if (member.name == name) return &member.value;
    return nullptr;
}

TomlValue* TomlValue::find(std::string_view name) {
    return const_cast<TomlValue*>(std::as_const(*this).find(name));
}

std::string_view TomlValue::type_name() const {
    switch (type) {
    case Type::boolean: return "a boolean";
    case Type::integer: return "an integer";
    case Type::real: return "a float";
    case Type::text: return "a string";
    case Type::list: return "a list";
    case Type::table: return "a table";
    case Type::time: return "a date or time";
    }
    return "a value";
}

} // namespace wavetrain
