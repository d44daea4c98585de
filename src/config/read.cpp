/// TOML values into options: keys, types, ranges, paths, and combinations that make no sense.
#include "wavetrain/circuit/qasm.hpp"
#include "wavetrain/config/config.hpp"

#include "schema.hpp"
#include "set.hpp"
#include "toml.hpp"

#include "wavetrain/base/text.hpp"
#include "wavetrain/io/atomic_file.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace wavetrain {

namespace {

using Type = TomlValue::Type;

/// Reads the tree into the options and remembers where each key was given.
class Reader {
public:
    Reader(Config& config, const std::string& file)
        : config_(config), tables_(describe(config)), file_(file),
          folder_(std::filesystem::path(file).parent_path().string()) {}

    void read(const TomlValue& root);

private:
    void read_table(const Table& table, const TomlValue& value);
    void read_layers(const TomlValue& list);
    void read_layer(const TomlValue& value, const std::string& name);
    void check_layer(const LayerSpec& layer) const;
    void check_model() const;
    void check_rest() const;
    void read_circuits();
    void read_key(const Key& key, const std::string& name, const TomlValue& value);
    [[noreturn]] void unknown(const std::string& table, const std::string& key,
                              const TomlValue& value, std::vector<std::string> known) const;

    const Table* find_table(const std::string& name) const;
    Place place_of(const std::string& name) const;

    Config& config_;
    std::vector<Table> tables_;
    std::string file_;
    std::string folder_;
    std::map<std::string, Place> given_;
};

[[noreturn]] void wrong_type(const std::string& name, std::string_view wanted,
                             const TomlValue& value) {
    fail_at(value.place, Kind::usage, "'{}' must be {}, not {}", name, wanted, value.type_name());
}

/// Assigns a value to a member of its type, or refuses it.
struct Assign {
    const Key& key;
    const std::string& name;
    const TomlValue& value;

    void operator()(bool* member) const {
        if (value.type != Type::boolean) wrong_type(name, "true or false", value);
        *member = value.boolean;
    }
    void operator()(std::int64_t* member) const {
        if (value.type != Type::integer) wrong_type(name, "an integer", value);
        if (value.integer < key.integers.least || value.integer > key.integers.most)
            fail_at(value.place, Kind::usage, "'{}' must be {}, not {}", name,
                    range_text(key.integers), value.integer);
        *member = value.integer;
    }
    void operator()(std::uint64_t* member) const {
        std::int64_t number = 0;
        (*this)(&number);
        *member = static_cast<std::uint64_t>(number);
    }
    void operator()(double* member) const {
        if (value.type != Type::integer && value.type != Type::real)
            wrong_type(name, "a number", value);
        const double number =
            value.type == Type::integer ? static_cast<double>(value.integer) : value.real;
        const RealRange& range = key.reals;
        if (!std::isfinite(number))
            fail_at(value.place, Kind::usage, "'{}' must be finite, not {}", name, number);
        if (number < range.least || (range.least_open && number == range.least) ||
            number > range.most || (range.most_open && number == range.most))
            fail_at(value.place, Kind::usage, "'{}' must be {}, not {}", name, range_text(range),
                    shortest(number));
        *member = number;
    }
    void operator()(std::string* member) const {
        if (value.type != Type::text) wrong_type(name, "a string", value);
        const auto& choices = key.choices;
        if (!choices.empty() &&
            std::find(choices.begin(), choices.end(), value.text) == choices.end())
            fail_at(value.place, Kind::usage, "'{}' must be one of {}, not '{}'{}", name,
                    fmt::join(choices, ", "), value.text, suggestion(value.text, choices));
        *member = value.text;
    }
    void operator()(std::vector<std::string>* member) const {
        if (value.type != Type::list) wrong_type(name, "a list of strings", value);
        *member = texts(value, name);
    }
    void operator()(OptionMap* member) const {
        if (value.type != Type::table) wrong_type(name, "a table", value);
        member->clear();
        for (const auto& [option, item] : value.members)
            (*member)[option] = option_value(item, name + "." + option);
    }
    void operator()(std::map<std::string, std::vector<std::string>>* member) const {
        if (value.type != Type::table) wrong_type(name, "a table", value);
        member->clear();
        for (const auto& [input, item] : value.members) {
            const std::string full = name + "." + input;
            if (item.type == Type::text) {
                (*member)[input] = {item.text};
            } else if (item.type == Type::list && !item.items.empty()) {
                (*member)[input] = texts(item, full);
            } else {
                wrong_type(full, "a column's name or a list of names", item);
            }
        }
    }

    static std::vector<std::string> texts(const TomlValue& list, const std::string& name) {
        std::vector<std::string> result;
        for (const TomlValue& item : list.items) {
            if (item.type != Type::text) wrong_type(name, "a list of strings", item);
            result.push_back(item.text);
        }
        return result;
    }
    static OptionValue option_value(const TomlValue& item, const std::string& name) {
        switch (item.type) {
        case Type::boolean: return item.boolean;
        case Type::integer: return item.integer;
        case Type::text: return item.text;
        case Type::real:
            if (!std::isfinite(item.real))
                fail_at(item.place, Kind::usage, "'{}' must be finite, not {}", name, item.real);
            return item.real;
        default: wrong_type(name, "a boolean, a number or a string", item);
        }
    }
};

void Reader::read_key(const Key& key, const std::string& name, const TomlValue& value) {
    std::visit(Assign{key, name, value}, key.member);
    given_[name] = value.place;
    if (!key.is_path || value.from_set || value.text.empty()) return;
    const std::filesystem::path path = value.text;
    if (path.is_relative() && !folder_.empty())
        *std::get<std::string*>(key.member) =
            (std::filesystem::path(folder_) / path).lexically_normal().string();
}

const Table* Reader::find_table(const std::string& name) const {
    const auto found = std::find_if(tables_.begin(), tables_.end(),
                                    [&](const Table& table) { return table.name == name; });
    return found == tables_.end() ? nullptr : &*found;
}

Place Reader::place_of(const std::string& name) const {
    const auto found = given_.find(name);
    return found == given_.end() ? Place{file_} : found->second;
}

void Reader::unknown(const std::string& table, const std::string& key, const TomlValue& value,
                     std::vector<std::string> known) const {
    const bool is_table = value.type == Type::table;
    std::string hint = suggestion(key, known);
    if (table.empty() && !is_table) {
        // A key outside its table: name the table if there is only one that has it.
        std::vector<std::string> owners;
        for (const Table& candidate : tables_)
            for (const Key& member : candidate.keys)
                if (member.name == key) owners.push_back(candidate.name);
        if (owners.size() == 1) hint = format(" (did you mean '{}.{}'?)", owners[0], key);
    }
    fail_at(value.place, Kind::usage, "unknown {} '{}{}{}'{}", is_table ? "table" : "key", table,
            table.empty() ? "" : ".", key, hint);
}

void Reader::read_table(const Table& table, const TomlValue& value) {
    if (value.type != Type::table) wrong_type(table.name, "a table", value);
    for (const auto& [member_name, member] : value.members) {
        const std::string& name = member_name; // clang 14 captures no structured binding
        const std::string full = table.name + "." + name;
        const auto key = std::find_if(table.keys.begin(), table.keys.end(),
                                      [&](const Key& known) { return known.name == name; });
        if (key != table.keys.end()) {
            read_key(*key, full, member);
        } else if (const Table* inner = find_table(full)) {
            read_table(*inner, member);
        } else if (full == "model.layers") {
            read_layers(member);
        } else {
            std::vector<std::string> known;
            for (const Key& candidate : table.keys) known.push_back(candidate.name);
            if (table.name == "model") known.push_back("layers");
            if (table.name == "optimizer") known.push_back("schedule");
            unknown(table.name, name, member, known);
        }
    }
}

void Reader::read_layers(const TomlValue& list) {
    if (list.type != Type::list) wrong_type("model.layers", "a list of tables", list);
    given_["model.layers"] = list.place;
    config_.model.layers.clear();
    for (std::size_t index = 0; index < list.items.size(); ++index)
        read_layer(list.items[index], format("model.layers[{}]", index));
}

void Reader::read_layer(const TomlValue& value, const std::string& name) {
    if (value.type != Type::table) wrong_type(name, "a table", value);
    LayerSpec layer;
    layer.place = value.place;
    const std::vector<Key> keys = describe_layer(layer);
    std::vector<std::string> known;
    for (const Key& key : keys) known.push_back(key.name);
    for (const auto& [member, item] : value.members) {
        const auto key = std::find(known.begin(), known.end(), member);
        if (key == known.end()) unknown(name, member, item, known);
        read_key(keys[static_cast<std::size_t>(key - known.begin())], name + "." + member, item);
    }
    if (layer.type.empty())
        fail_at(layer.place, Kind::usage, "'{}.type' is missing: quantum, concatenate or dense",
                name);
    for (std::size_t index = 0; index < keys.size(); ++index)
        if (const TomlValue* item = value.find(known[index]);
            item != nullptr && !belongs_to(keys[index], layer.type))
            fail_at(item->place, Kind::usage, "'{}.{}' is no key of a {} layer", name, known[index],
                    layer.type);
    check_layer(layer);
    config_.model.layers.push_back(std::move(layer));
}

void Reader::check_layer(const LayerSpec& layer) const {
    if (layer.type == "dense" && layer.units == 0)
        fail_at(layer.place, Kind::usage, "a dense layer needs 'units'");
    if (layer.type != "quantum") return;
    const bool from_file = !layer.file.empty() || !layer.source.empty();
    if (layer.circuit.empty() && !from_file)
        fail_at(layer.place, Kind::usage, "a quantum layer needs 'circuit' or 'file'");
    if (!layer.circuit.empty() && from_file)
        fail_at(layer.place, Kind::usage,
                "a quantum layer has 'circuit' (a template) or 'file', not both");
}

void Reader::check_model() const {
    const ModelOptions& model = config_.model;
    if (model.kind == "layers") {
        if (model.layers.empty())
            fail_at(place_of("model.kind"), Kind::usage,
                    "model.kind = \"layers\" needs [[model.layers]] tables");
        for (const std::string key : {"model.filters", "model.variant"})
            if (given_.contains(key))
                fail_at(place_of(key), Kind::usage,
                        "'{}' belongs to ready-made models, not to kind = \"layers\"", key);
        return;
    }
    if (!model.layers.empty())
        fail_at(place_of("model.layers"), Kind::usage,
                "[[model.layers]] cannot be given with the ready-made model.kind = \"{}\"",
                model.kind);
    if (model.qubits < 2)
        fail_at(place_of("model.qubits"), Kind::usage,
                "'model.qubits' must be from 2 to 1000000, not {}", model.qubits);
    if (model.kind == "qcnn" && model.filters != 1)
        fail_at(place_of("model.filters"), Kind::usage,
                "'model.filters' must be 1 with kind = \"qcnn\", not {}", model.filters);
}

void Reader::check_rest() const {
    const DataOptions& data = config_.data;
    if ((data.source == "csv" || data.source == "hdf5") && data.file.empty())
        fail_at(place_of("data.source"), Kind::usage, "data.source = \"{}\" needs 'data.file'",
                data.source);
    if (data.source == "excitations" && !data.file.empty())
        fail_at(place_of("data.file"), Kind::usage,
                "'data.file' needs data.source = \"csv\" or \"hdf5\", not \"excitations\"");
    const ScheduleOptions& schedule = config_.optimizer.schedule;
    if (schedule.kind != "constant" && schedule.decay_steps == 0)
        fail_at(place_of("optimizer.schedule.kind"), Kind::usage,
                "optimizer.schedule.kind = \"{}\" needs 'decay_steps' of at least 1",
                schedule.kind);
}

void Reader::read_circuits() {
    for (LayerSpec& layer : config_.model.layers) {
        if (layer.file.empty() || !layer.source.empty()) continue;
        layer.source = read_text(layer.file);
        // Read once for what it includes: the config carries every text.
        parse_qasm(layer.source, layer.file, [&](const std::string& path) {
            std::string text = read_text(path);
            layer.included[path] = text;
            return text;
        });
    }
}

void Reader::read(const TomlValue& root) {
    std::vector<std::string> known;
    for (const Table& table : tables_)
        if (table.name.find('.') == std::string::npos) known.push_back(table.name);
    for (const auto& [name, value] : root.members) {
        const Table* table = find_table(name);
        if (table == nullptr || name.find('.') != std::string::npos)
            unknown("", name, value, known);
        read_table(*table, value);
    }
    if (config_.model.kind.empty() && !config_.model.layers.empty()) config_.model.kind = "layers";
    check_model();
    check_rest();
    // Last: what is wrong in the text itself is told before files are looked for.
    read_circuits();
}

} // namespace

Config parse_config(const std::string& text, const std::string& file,
                    const std::vector<std::string>& sets) {
    TomlValue root = parse_toml(text, file);
    for (const std::string& set : sets) apply_set(root, set);
    Config config;
    config.file = file;
    Reader(config, file).read(root);
    return config;
}

Config load_config(const std::string& file, const std::vector<std::string>& sets) {
    return parse_config(read_text(file), file, sets);
}

} // namespace wavetrain
