/// Models: building layers, running them forwards and backwards.
#include "wavetrain/model/model.hpp"

#include "wavetrain/base/machine.hpp"
#include "wavetrain/base/text.hpp"
#include "wavetrain/circuit/qasm.hpp"
#include "wavetrain/circuit/templates.hpp"
#include "wavetrain/model/dense.hpp"
#include "wavetrain/model/pass.hpp"

#include <algorithm>

namespace wavetrain {
namespace {

std::size_t column_index(const std::vector<std::string>& columns, const std::string& name,
                         const LayerSpec& spec, const std::string& input) {
    const auto found = std::find(columns.begin(), columns.end(), name);
    if (found == columns.end())
        fail_at(spec.place, Kind::usage,
                "layer '{}': input '{}' is bound to the data column '{}', which does not exist{}",
                spec.name, input, name, suggestion(name, columns));
    return static_cast<std::size_t>(found - columns.begin());
}

/// The columns of one circuit input, one per symbol.
std::vector<std::size_t> input_columns(const LayerSpec& spec, const Input& input,
                                       const std::vector<std::string>& names,
                                       const std::vector<std::string>& columns) {
    std::vector<std::size_t> found;
    const bool prefix = input.array && names.size() == 1 &&
                        (input.size > 1 ||
                         std::find(columns.begin(), columns.end(), names.front()) == columns.end());
    if (prefix) {
        for (int i = 0; i < input.size; ++i)
            found.push_back(
                column_index(columns, format("{}_{}", names.front(), i), spec, input.name));
        return found;
    }
    if (names.size() != static_cast<std::size_t>(input.size))
        fail_at(spec.place, Kind::usage, "layer '{}': input '{}' takes {} columns, not {}",
                spec.name, input.name, input.size, names.size());
    for (const std::string& name : names)
        found.push_back(column_index(columns, name, spec, input.name));
    return found;
}

std::vector<PauliSum> layer_observables(const LayerSpec& spec, int qubits) {
    if (spec.observables.empty())
        fail_at(spec.place, Kind::usage, "layer '{}': a quantum layer needs observables",
                spec.name);
    std::vector<PauliSum> observables;
    for (const std::string& text : spec.observables) {
        try {
            observables.push_back(parse_pauli_sum(text));
            const int largest = largest_qubit(observables.back());
            if (largest >= qubits)
                fail(Kind::usage, "observable '{}' acts on qubit {}, but the circuit has {}", text,
                     largest, qubits_text(qubits));
        } catch (const Error& error) {
            throw Error(error.kind(), format("layer '{}': {}", spec.name, error.what()),
                        spec.place);
        }
    }
    return observables;
}

/// Refuses a dense layer whose parameters cannot fit: each is held about as often as the optimizer,
/// the exact sums and the layers need it.
void check_dense_memory(const LayerSpec& spec, std::size_t width) {
    constexpr double kBytesPerParameter = 160;
    const double parameters = (static_cast<double>(width) + 1.0) * static_cast<double>(spec.units);
    const auto available = available_memory_bytes();
    if (parameters * kBytesPerParameter <= static_cast<double>(available)) return;
    fail_at(
        spec.place, Kind::environment,
        "not enough memory: the {:.0f} parameters of layer '{}' need about {:.0f} bytes, and {} "
        "bytes are available",
        parameters, spec.name, parameters * kBytesPerParameter, grouped(available));
}

/// Where each symbol of the circuit comes from. Inputs that `data` does not bind are weights, or,
/// if the layer has inputs from other layers, those inputs in the order of declaration.
std::vector<SymbolSource> symbol_sources(const LayerSpec& spec, const Circuit& circuit,
                                         const std::vector<std::string>& columns,
                                         std::size_t layer_inputs) {
    std::vector<SymbolSource> sources(circuit.symbols.size());
    std::vector<bool> bound(circuit.symbols.size(), false);
    for (const auto& [name, names] : spec.data) {
        const Input* input = circuit.find_input(name);
        if (!input) {
            std::vector<std::string> known;
            for (const Input& i : circuit.inputs) known.push_back(i.name);
            fail_at(spec.place, Kind::usage, "layer '{}': the circuit has no input '{}'{}",
                    spec.name, name, suggestion(name, known));
        }
        const auto found = input_columns(spec, *input, names, columns);
        for (std::size_t i = 0; i < found.size(); ++i) {
            const std::size_t symbol = static_cast<std::size_t>(input->first) + i;
            sources[symbol] = {SymbolSource::From::feature, found[i]};
            bound[symbol] = true;
        }
    }
    std::size_t free = 0;
    for (bool b : bound) free += b ? 0 : 1;
    if (layer_inputs > free)
        fail_at(spec.place, Kind::usage,
                "layer '{}': its input layers give {} numbers, but the circuit has only {} inputs "
                "that are not bound to data",
                spec.name, layer_inputs, free);
    std::size_t next_input = 0;
    std::size_t next_weight = 0;
    for (std::size_t s = 0; s < sources.size(); ++s) {
        if (bound[s]) continue;
        if (next_input < layer_inputs)
            sources[s] = {SymbolSource::From::input, next_input++};
        else
            sources[s] = {SymbolSource::From::weight, next_weight++};
    }
    return sources;
}

} // namespace

Circuit layer_circuit(const LayerSpec& spec, std::int64_t qubits) {
    if (!spec.source.empty() || !spec.file.empty())
        return parse_qasm(spec.source, spec.file.empty() ? spec.name : spec.file,
                          [&](const std::string& path) -> std::string {
                              const auto text = spec.included.find(path);
                              if (text == spec.included.end()) return read_text_file(path);
                              return std::get<std::string>(text->second);
                          });
    if (spec.circuit.empty())
        fail_at(spec.place, Kind::usage, "layer '{}': a quantum layer needs a circuit", spec.name);
    OptionMap options = spec.options;
    options.try_emplace("qubits", qubits);
    return make_template(spec.circuit, options, spec.place);
}

Model::Model(const ModelOptions& options, const std::vector<std::string>& columns,
             const QuantumSettings& settings)
    : columns_(columns.size()) {
    for (const LayerSpec& spec : expand_layers(options)) {
        for (const auto& layer : layers_)
            if (layer->name() == spec.name)
                fail_at(spec.place, Kind::usage, "two layers are called '{}'", spec.name);
        wiring_.push_back(wire(spec));
        layers_.push_back(build(spec, options.qubits, columns, settings));
        add_to_stages(layers_.size() - 1);
        offsets_.push_back(offsets_.back() + layers_.back()->parameters());
    }
}

Wiring Model::wire(const LayerSpec& spec) const {
    Wiring wiring;
    for (const std::string& name : spec.inputs) {
        const auto found = std::find_if(layers_.begin(), layers_.end(),
                                        [&](const auto& layer) { return layer->name() == name; });
        if (found == layers_.end())
            fail_at(spec.place, Kind::usage, "layer '{}': no layer '{}' stands before it",
                    spec.name, name);
        wiring.inputs.push_back(static_cast<std::size_t>(found - layers_.begin()));
    }
    if (spec.inputs.empty() && spec.type != "quantum") {
        if (layers_.empty())
            wiring.takes_features = true;
        else
            wiring.inputs.push_back(layers_.size() - 1);
    }
    for (const std::size_t before : wiring.inputs) {
        const bool trains = layers_[before]->trainable() && layers_[before]->parameters() > 0;
        if (trains || wiring_[before].needs_gradient) wiring.needs_gradient = true;
    }
    return wiring;
}

std::unique_ptr<Layer> Model::build(const LayerSpec& spec, std::int64_t qubits,
                                    const std::vector<std::string>& columns,
                                    const QuantumSettings& settings) {
    const Wiring& wiring = wiring_.back();
    std::size_t width = wiring.takes_features ? columns.size() : 0;
    for (const std::size_t i : wiring.inputs) width += layers_[i]->width();
    if (spec.type == "quantum") {
        Circuit circuit = layer_circuit(spec, qubits);
        auto sources = symbol_sources(spec, circuit, columns, width);
        auto observables = layer_observables(spec, circuit.qubits);
        return std::make_unique<Quantum>(spec.name, spec.trainable, std::move(circuit),
                                         std::move(observables), std::move(sources),
                                         wiring.needs_gradient, spec.initializer, settings);
    }
    if (spec.type == "concatenate") {
        if (spec.inputs.empty())
            fail_at(spec.place, Kind::usage, "layer '{}': concatenate needs inputs", spec.name);
        return std::make_unique<Concatenate>(spec.name, width);
    }
    if (spec.type != "dense") {
        const std::vector<std::string> types{"quantum", "concatenate", "dense"};
        fail_at(spec.place, Kind::usage, "layer '{}': unknown type '{}'{}", spec.name, spec.type,
                suggestion(spec.type, types));
    }
    if (spec.units < 1)
        fail_at(spec.place, Kind::usage, "layer '{}': units must be at least 1", spec.name);
    if (width == 0) fail_at(spec.place, Kind::usage, "layer '{}' has no inputs", spec.name);
    check_dense_memory(spec, width);
    return std::make_unique<Dense>(spec.name, spec.trainable, width,
                                   static_cast<std::size_t>(spec.units), spec.activation,
                                   spec.initializer);
}

void Model::add_to_stages(std::size_t layer) {
    const bool quantum = dynamic_cast<const Quantum*>(layers_[layer].get()) != nullptr;
    const auto in_last_stage = [&](std::size_t input) {
        const std::vector<std::size_t>& last = stages_.back().layers;
        return std::find(last.begin(), last.end(), input) != last.end();
    };
    const std::vector<std::size_t>& inputs = wiring_[layer].inputs;
    if (quantum && !stages_.empty() && stages_.back().quantum &&
        std::none_of(inputs.begin(), inputs.end(), in_last_stage))
        stages_.back().layers.push_back(layer);
    else
        stages_.push_back({quantum, {layer}});
}

const Quantum& Model::quantum(std::size_t layer) const {
    return dynamic_cast<const Quantum&>(*layers_[layer]);
}

const ClassicalLayer& Model::classical(std::size_t layer) const {
    return dynamic_cast<const ClassicalLayer&>(*layers_[layer]);
}

std::vector<bool> Model::trainable() const {
    std::vector<bool> result;
    for (const auto& layer : layers_)
        result.insert(result.end(), layer->parameters(), layer->trainable());
    return result;
}

std::vector<const Plan*> Model::plans() const {
    std::vector<const Plan*> plans;
    for (const auto& layer : layers_)
        if (const auto* quantum = dynamic_cast<const Quantum*>(layer.get()))
            plans.push_back(&quantum->plan());
    return plans;
}

std::vector<double> Model::initial(std::uint64_t seed) const {
    std::vector<double> parameters;
    for (std::size_t i = 0; i < layers_.size(); ++i) {
        const auto own = layers_[i]->initial(seed, static_cast<std::uint32_t>(i));
        parameters.insert(parameters.end(), own.begin(), own.end());
    }
    return parameters;
}

void Model::set_parameters(std::span<const double> parameters) {
    promise(parameters.size() == this->parameters(), "a parameter vector of the wrong length");
    for (std::size_t i = 0; i < layers_.size(); ++i)
        layers_[i]->set_parameters(parameters.subspan(offsets_[i], layers_[i]->parameters()));
}

Table Model::forward(const Table& features) const {
    SoloComm alone;
    const Workers workers{alone};
    return Pass(*this, features, workers, "a forward pass").forward();
}

} // namespace wavetrain
