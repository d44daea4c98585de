/// Weights files: writing, and reading with every check.
#include "wavetrain/model/weights_file.hpp"

#include "wavetrain/base/hash.hpp"
#include "wavetrain/base/version.hpp"
#include "wavetrain/io/h5.hpp"
#include "wavetrain/model/keras_file.hpp"

#include <algorithm>
#include <map>

namespace wavetrain {
namespace {

constexpr std::int64_t kFormatVersion = 1;
constexpr const char* kGroup = "/wavetrain";
constexpr const char* kColumns = "/wavetrain/columns";

std::string layer_group(const std::string& name) { return format("{}/layers/{}", kGroup, name); }

std::vector<KerasLayer> keras_layers(const Model& model, std::span<const double> parameters) {
    std::vector<KerasLayer> result;
    for (std::size_t i = 0; i < model.layers().size(); ++i) {
        const Layer& layer = *model.layers()[i];
        KerasLayer stored{layer.name(), {}};
        for (const ParameterArray& array : layer.arrays()) {
            // Keras gives a circuit's variable no layer scope, a dense layer's its own name.
            const bool scoped = layer.type() != "quantum";
            KerasArray values{
                scoped ? layer.name() + "/" + array.name : array.name, array.shape, {}};
            for (std::size_t p : array.order)
                values.values.push_back(parameters[model.offset(i) + p]);
            stored.arrays.push_back(std::move(values));
        }
        result.push_back(std::move(stored));
    }
    return result;
}

/// Refuses a file without our group. A whole HDF5 file of another kind counts as unreadable.
void require_wavetrain(const H5File& file) {
    if (!file.is_group(kGroup))
        fail(Kind::environment,
             "{}: these are no Wavetrain weights: the group {} is missing (a file that Keras wrote "
             "is taken over by 'wavetrain import --keras')",
             file.path(), kGroup);
    const std::int64_t version = file.integer(kGroup, "format_version");
    if (version != kFormatVersion)
        fail(Kind::usage, "{}: weights format {}, but this program reads format {}", file.path(),
             version, kFormatVersion);
}

/// Texts lie in datasets of one entry: their fields have a fixed length, so that a damaged file is
/// found by its hashes instead of leading the library astray.
void write_text(H5File& file, const std::string& name, const std::string& text) {
    file.write_texts(format("{}/{}", kGroup, name), {text});
}

std::string read_text(const H5File& file, const std::string& name) {
    const std::string path = format("{}/{}", kGroup, name);
    const std::vector<std::string> texts = file.read_texts(path);
    if (texts.size() != 1)
        fail(Kind::usage, "{}: '{}' has {} texts instead of 1", file.path(), path, texts.size());
    return texts.front();
}

std::vector<double> read_layer(const H5File& file, const Layer& layer) {
    const std::string group = layer_group(layer.name());
    if (!file.is_group(group))
        fail(Kind::usage, "{}: the weights have no layer '{}', which the model has", file.path(),
             layer.name());
    const std::string type = read_text(file, format("layers/{}/type", layer.name()));
    if (type != layer.type())
        fail(Kind::usage, "{}: layer '{}' is of type '{}' in the weights and '{}' in the model",
             file.path(), layer.name(), type, layer.type());
    const std::vector<std::string> stored = file.read_texts(group + "/names");
    const std::vector<std::string> wanted = layer.parameter_names();
    const auto [a, b] = std::mismatch(stored.begin(), stored.end(), wanted.begin(), wanted.end());
    if (a != stored.end() && b != wanted.end())
        fail(Kind::usage, "{}: layer '{}': parameter '{}' in the weights is '{}' in the model",
             file.path(), layer.name(), *a, *b);
    if (stored.size() != wanted.size())
        fail(Kind::usage, "{}: layer '{}' has {} parameters in the weights and {} in the model",
             file.path(), layer.name(), stored.size(), wanted.size());
    std::vector<double> values = file.read(group + "/values");
    if (values.size() != wanted.size())
        fail(Kind::usage, "{}: layer '{}': {} values for {} parameters", file.path(), layer.name(),
             values.size(), wanted.size());
    return values;
}

std::string shape_text(const std::vector<std::size_t>& shape) {
    return format("({})", fmt::join(shape, ", "));
}

/// Puts the arrays of one layer of Keras' into the flat vector.
void take_layer(const std::string& path, const KerasLayer& stored, const Model& model,
                std::size_t index, std::span<double> parameters) {
    const Layer& layer = *model.layers()[index];
    const std::vector<ParameterArray> wanted = layer.arrays();
    if (stored.arrays.size() != wanted.size())
        fail(Kind::usage, "{}: layer '{}' has {} arrays, but the model's layer '{}' has {}", path,
             stored.name, stored.arrays.size(), layer.name(), wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const KerasArray& array = stored.arrays[i];
        if (array.shape != wanted[i].shape)
            fail(Kind::usage,
                 "{}: array '{}' of layer '{}' has the shape {}, but the model's layer '{}' takes "
                 "{}",
                 path, array.name, stored.name, shape_text(array.shape), layer.name(),
                 shape_text(wanted[i].shape));
        for (std::size_t k = 0; k < array.values.size(); ++k)
            parameters[model.offset(index) + wanted[i].order[k]] = array.values[k];
    }
}

/// Which of the file's layers belongs to each of the model's layers with weights.
std::map<std::size_t, const KerasLayer*> match_layers(const std::string& path,
                                                      const std::vector<KerasLayer>& stored,
                                                      KerasLayout layout, const Model& model) {
    std::vector<std::size_t> wanted;
    for (std::size_t i = 0; i < model.layers().size(); ++i)
        if (!model.layers()[i]->arrays().empty()) wanted.push_back(i);
    if (stored.size() != wanted.size())
        fail(Kind::usage, "{}: {} layers with weights, but the model has {}", path, stored.size(),
             wanted.size());
    // The newer layout sorts layers by class; the order of different classes is lost. Dense layers
    // are Keras' own class, every other class is a circuit.
    const auto rank = [&](bool dense) { return layout == KerasLayout::newer && dense ? 1 : 0; };
    std::vector<const KerasLayer*> from;
    for (const KerasLayer& layer : stored) from.push_back(&layer);
    std::stable_sort(from.begin(), from.end(), [&](const KerasLayer* a, const KerasLayer* b) {
        return rank(keras_class(a->name).first == "dense") <
               rank(keras_class(b->name).first == "dense");
    });
    std::stable_sort(wanted.begin(), wanted.end(), [&](std::size_t a, std::size_t b) {
        return rank(model.layers()[a]->type() == "dense") <
               rank(model.layers()[b]->type() == "dense");
    });
    std::map<std::size_t, const KerasLayer*> pairs;
    for (std::size_t i = 0; i < wanted.size(); ++i) pairs[wanted[i]] = from[i];
    return pairs;
}

} // namespace

void save_weights(const std::string& path, const Model& model, std::span<const double> parameters,
                  const WeightsInfo& info) {
    H5File file = H5File::create();
    write_keras_layers(file, keras_layers(model, parameters));
    file.create_group(kGroup);
    file.set_integer(kGroup, "format_version", kFormatVersion);
    file.set_integer(kGroup, "piece_amplitudes", info.piece_amplitudes);
    write_text(file, "version", std::string(version()));
    write_text(file, "config", info.config);
    write_text(file, "config_sha256", sha256(info.config));
    write_text(file, "parameters_sha256", sha256(parameters));
    write_text(file, "simd", info.simd);
    file.write_texts(kColumns, info.columns);
    std::vector<std::string> names;
    for (const auto& layer : model.layers()) names.push_back(layer->name());
    file.write_texts(format("{}/layer_names", kGroup), names);
    for (std::size_t i = 0; i < model.layers().size(); ++i) {
        const Layer& layer = *model.layers()[i];
        const std::string group = layer_group(layer.name());
        file.create_group(group);
        write_text(file, format("layers/{}/type", layer.name()), std::string(layer.type()));
        file.write_texts(group + "/names", layer.parameter_names());
        file.write(group + "/values", parameters.subspan(model.offset(i), layer.parameters()),
                   {layer.parameters()});
    }
    file.save(path);
}

void export_keras(const std::string& path, const Model& model, std::span<const double> parameters) {
    H5File file = H5File::create();
    write_keras_layers(file, keras_layers(model, parameters));
    file.save(path);
}

WeightsInfo read_weights_info(const std::string& path) {
    const H5File file = H5File::open(path);
    require_wavetrain(file);
    const std::string config = read_text(file, "config");
    if (sha256(config) != read_text(file, "config_sha256"))
        fail(Kind::environment,
             "{}: the weights are damaged: the hash of their config does not fit", path);
    return {config, file.read_texts(kColumns), read_text(file, "simd"),
            file.integer(kGroup, "piece_amplitudes")};
}

std::vector<double> read_weights(const std::string& path, const Model& model) {
    const H5File file = H5File::open(path);
    require_wavetrain(file);
    const std::size_t stored = file.read_texts(format("{}/layer_names", kGroup)).size();
    std::vector<double> parameters;
    for (const auto& layer : model.layers()) {
        const std::vector<double> own = read_layer(file, *layer);
        parameters.insert(parameters.end(), own.begin(), own.end());
    }
    if (stored != model.layers().size())
        fail(Kind::usage, "{}: the weights have {} layers and the model has {}", path, stored,
             model.layers().size());
    if (sha256(parameters) != read_text(file, "parameters_sha256"))
        fail(Kind::environment,
             "{}: the weights are damaged: the hash of their values does not fit", path);
    return parameters;
}

std::vector<double> read_keras_weights(const std::string& path, const Model& model) {
    const H5File file = H5File::open(path);
    const KerasLayout layout = keras_layout(file);
    std::vector<KerasLayer> stored = read_keras_layers(file);
    std::erase_if(stored, [](const KerasLayer& layer) { return layer.arrays.empty(); });
    std::vector<double> parameters(model.parameters(), 0.0);
    for (const auto& [index, layer] : match_layers(path, stored, layout, model))
        take_layer(path, *layer, model, index, parameters);
    return parameters;
}

std::vector<double> read_any_weights(const std::string& path, const Model& model) {
    return H5File::open(path).is_group(kGroup) ? read_weights(path, model)
                                               : read_keras_weights(path, model);
}

} // namespace wavetrain
