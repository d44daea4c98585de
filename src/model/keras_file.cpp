/// Weights as Keras stores them in HDF5 (hdf5_format.py of Keras 2, saving_lib.py of Keras 3).
#include "wavetrain/model/keras_file.hpp"

#include "wavetrain/base/error.hpp"
#include "wavetrain/base/text.hpp"

#include <algorithm>

namespace wavetrain {

namespace {

/// The group of a whole model's weights in a file of model.save().
constexpr const char* kModelWeights = "/model_weights";

/// A list of texts that Keras splits into name0, name1, ... where it is too long for one attribute.
std::vector<std::string> long_list(const H5File& file, const std::string& object,
                                   const std::string& name) {
    if (file.has_attribute(object, name)) return file.texts(object, name);
    if (!file.has_attribute(object, name + "0")) return file.texts(object, name);
    std::vector<std::string> all;
    for (std::size_t part = 0; file.has_attribute(object, format("{}{}", name, part)); ++part) {
        const auto texts = file.texts(object, format("{}{}", name, part));
        all.insert(all.end(), texts.begin(), texts.end());
    }
    return all;
}

bool has_layer_names(const H5File& file, const std::string& group) {
    return file.has_attribute(group, "layer_names") || file.has_attribute(group, "layer_names0");
}

KerasArray read_array(const H5File& file, const std::string& path, const std::string& name) {
    return {name, file.shape(path), file.read(path)};
}

std::vector<KerasLayer> read_older(const H5File& file, const std::string& root) {
    std::vector<KerasLayer> layers;
    for (const std::string& name : long_list(file, root.empty() ? "/" : root, "layer_names")) {
        const std::string group = root + "/" + name;
        KerasLayer layer{name, {}};
        for (const std::string& weight : long_list(file, group, "weight_names"))
            layer.arrays.push_back(read_array(file, group + "/" + weight, weight));
        layers.push_back(std::move(layer));
    }
    return layers;
}

/// Refuses arrays below `group`: layers inside layers. Groups of a file may be linked in circles,
/// or so that ever more paths lead to the same ones: looking for arrays has an end.
class NestedArrays {
public:
    explicit NestedArrays(const H5File& file) : file_(file) {}

    void refuse(const std::string& group, int depth = 1) {
        if (file_.is_dataset(group))
            fail(Kind::usage,
                 "'{}' in '{}' is a weight of a layer inside a layer, which cannot be taken", group,
                 file_.path());
        if (depth > kMostLevels || ++groups_ > kMostGroups)
            fail(Kind::usage,
                 "'{}' in '{}': the groups inside the layers are too deep or too many (beyond {} "
                 "levels or {} groups): no file of Keras",
                 group, file_.path(), kMostLevels, kMostGroups);
        for (const std::string& member : file_.members(group))
            refuse(group + "/" + member, depth + 1);
    }

private:
    static constexpr int kMostLevels = 32;
    static constexpr int kMostGroups = 1000;

    const H5File& file_;
    int groups_ = 0;
};

KerasLayer read_newer_layer(const H5File& file, const std::string& name, NestedArrays& nested) {
    const std::string group = "/layers/" + name;
    KerasLayer layer{name, {}};
    for (const std::string& member : file.members(group))
        if (member != "vars") nested.refuse(group + "/" + member);
    if (!file.has(group + "/vars")) return layer;
    const std::size_t count = file.members(group + "/vars").size();
    for (std::size_t index = 0; index < count; ++index)
        layer.arrays.push_back(
            read_array(file, format("{}/vars/{}", group, index), std::to_string(index)));
    return layer;
}

std::vector<KerasLayer> read_newer(const H5File& file) {
    std::vector<KerasLayer> layers;
    NestedArrays nested(file);
    for (const std::string& name : file.members("/layers"))
        layers.push_back(read_newer_layer(file, name, nested));
    std::stable_sort(layers.begin(), layers.end(), [](const KerasLayer& a, const KerasLayer& b) {
        return keras_class(a.name) < keras_class(b.name);
    });
    return layers;
}

} // namespace

std::pair<std::string, std::size_t> keras_class(const std::string& layer_name) {
    const std::size_t line = layer_name.rfind('_');
    if (line == std::string::npos || line == 0) return {layer_name, 0};
    const std::string digits = layer_name.substr(line + 1);
    const auto number = parse_integer(digits);
    if (!number || *number < 1 || std::to_string(*number) != digits) return {layer_name, 0};
    return {layer_name.substr(0, line), static_cast<std::size_t>(*number)};
}

KerasLayout keras_layout(const H5File& file) {
    if (has_layer_names(file, "/") || has_layer_names(file, kModelWeights))
        return KerasLayout::older;
    if (file.is_group("/layers")) return KerasLayout::newer;
    fail(Kind::environment,
         "'{}' holds no weights: it has neither Keras' attribute 'layer_names' nor '/layers'",
         file.path());
}

void write_keras_layers(H5File& file, const std::vector<KerasLayer>& layers) {
    std::vector<std::string> layer_names;
    for (const KerasLayer& layer : layers) layer_names.push_back(layer.name);
    file.set_texts("/", "layer_names", layer_names);
    file.set_text("/", "backend", "tensorflow");
    // The version whose layout this is; Keras converts weights of older ones when it loads them.
    file.set_text("/", "keras_version", "2.18.0");
    for (const KerasLayer& layer : layers) {
        const std::string group = "/" + layer.name;
        promise(!file.has(group), "keras: layer names are unique");
        file.create_group(group);
        std::vector<std::string> weight_names;
        for (const KerasArray& array : layer.arrays) weight_names.push_back(array.name);
        file.set_texts(group, "weight_names", weight_names);
        for (const KerasArray& array : layer.arrays)
            file.write(group + "/" + array.name, array.values, array.shape, Stored::float32);
    }
    file.create_group("/top_level_model_weights");
    file.set_texts("/top_level_model_weights", "weight_names", {});
}

std::vector<KerasLayer> read_keras_layers(const H5File& file) {
    if (keras_layout(file) == KerasLayout::newer) return read_newer(file);
    return read_older(file, has_layer_names(file, "/") ? "" : kModelWeights);
}

} // namespace wavetrain
