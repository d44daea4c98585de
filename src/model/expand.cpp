/// What the ready-made kinds of models stand for.
#include "wavetrain/base/text.hpp"
#include "wavetrain/circuit/templates.hpp"
#include "wavetrain/model/model.hpp"

#include <algorithm>
#include <cctype>
#include <map>

namespace wavetrain {
namespace {

/// "dense", "dense_1", ...: names as Keras numbers them.
std::string numbered(const std::string& stem, int number) {
    return number == 0 ? stem : format("{}_{}", stem, number);
}

LayerSpec qcnn_circuit(const ModelOptions& options, const std::string& circuit, int number) {
    LayerSpec layer;
    layer.type = "quantum";
    layer.name = numbered("pqc", number);
    layer.circuit = circuit;
    layer.options = {{"qubits", options.qubits}, {"variant", options.variant}};
    layer.data = {{"excitation", {"excitation"}}};
    std::vector<Qubit> qubits;
    for (int q = 0; q < options.qubits; ++q) qubits.push_back(Qubit{q});
    if (circuit == "qcnn")
        qubits = {qubits.back()};
    else
        qubits = pooling_sinks(qubits);
    for (Qubit q : qubits) layer.observables.push_back(format("Z{}", q.index));
    return layer;
}

LayerSpec dense_layer(const std::string& name, std::int64_t units) {
    LayerSpec layer;
    layer.type = "dense";
    layer.name = name;
    layer.units = units;
    return layer;
}

std::vector<LayerSpec> expand_hybrid(const ModelOptions& options) {
    constexpr std::int64_t kHiddenUnits = 8;
    std::vector<LayerSpec> layers;
    LayerSpec concatenate;
    concatenate.type = concatenate.name = "concatenate";
    for (int f = 0; f < options.filters; ++f) {
        layers.push_back(qcnn_circuit(options, "qcnn_layer", f));
        concatenate.inputs.push_back(layers.back().name);
    }
    if (options.filters > 1) layers.push_back(concatenate);
    layers.push_back(dense_layer("dense", kHiddenUnits));
    layers.push_back(dense_layer("dense_1", 1));
    return layers;
}

/// Names become groups of HDF5 files beside Keras' and our own.
void check_name(const LayerSpec& layer) {
    const std::string& name = layer.name;
    const auto allowed = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-';
    };
    if (!std::all_of(name.begin(), name.end(), allowed))
        fail_at(layer.place, Kind::usage,
                "layer name '{}': only letters, digits, '_' and '-' are allowed", name);
    if (name == "wavetrain" || name == "top_level_model_weights")
        fail_at(layer.place, Kind::usage, "layer name '{}' is reserved", name);
}

std::vector<LayerSpec> named(std::vector<LayerSpec> layers) {
    std::map<std::string, int> counts;
    for (LayerSpec& layer : layers) {
        const int number = counts[layer.type]++;
        if (layer.name.empty()) layer.name = numbered(layer.type, number);
        check_name(layer);
    }
    return layers;
}

} // namespace

std::vector<LayerSpec> expand_layers(const ModelOptions& options) {
    if (options.kind.empty())
        fail(Kind::usage, "the config names no model: set model.kind to \"qcnn\", \"qcnn_hybrid\" "
                          "or \"layers\"");
    if (options.kind == "layers") {
        if (options.layers.empty()) fail(Kind::usage, "model.layers is empty");
        return named(options.layers);
    }
    if (options.qubits < 2)
        fail(Kind::usage, "model.qubits is {}, but a QCNN needs at least 2", options.qubits);
    if (options.kind == "qcnn") {
        if (options.filters != 1)
            fail(Kind::usage, "model.filters is {}, but kind \"qcnn\" has exactly 1",
                 options.filters);
        return {qcnn_circuit(options, "qcnn", 0)};
    }
    if (options.kind == "qcnn_hybrid") return expand_hybrid(options);
    const std::vector<std::string> kinds{"qcnn", "qcnn_hybrid", "layers"};
    fail(Kind::usage, "unknown model.kind '{}'{}", options.kind, suggestion(options.kind, kinds));
}

} // namespace wavetrain
