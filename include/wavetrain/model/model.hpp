/// A model: layers in order, one flat vector of parameters.
#pragma once

#include "wavetrain/model/layer.hpp"
#include "wavetrain/model/loss.hpp"
#include "wavetrain/model/options.hpp"
#include "wavetrain/model/quantum.hpp"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace wavetrain {

/// The layers that a ready-made kind stands for; written-out layers come back with their names
/// filled in. `usage` errors: unknown kind or variant, too few qubits, filters with kind "qcnn".
std::vector<LayerSpec> expand_layers(const ModelOptions& options);

/// The circuit of a quantum layer: a template's (with `qubits` unless its options say otherwise),
/// or that of its OpenQASM text.
Circuit layer_circuit(const LayerSpec& spec, std::int64_t qubits);

/// What a layer takes.
struct Wiring {
    std::vector<std::size_t> inputs; ///< layers whose outputs it takes, side by side
    bool takes_features = false;     ///< its inputs are all feature columns
    bool needs_gradient = false;     ///< some layer before it can be trained
};

/// Layers that are run at once: one classical layer, or quantum layers that follow one another and
/// take nothing from each other.
struct Stage {
    bool quantum = false;
    std::vector<std::size_t> layers;
};

/// Layers with their wiring. The last layer's outputs are the model's.
class Model {
public:
    /// Builds all layers. `columns` names the feature columns, in the order in which rows will
    /// come. `usage` errors with the layer's place: unknown type, template, name, column, a circuit
    /// input in `data` that does not exist, malformed observables, layers that do not fit together.
    Model(const ModelOptions& options, const std::vector<std::string>& columns,
          const QuantumSettings& settings);

    std::size_t parameters() const { return offsets_.back(); }
    std::size_t outputs() const { return layers_.back()->width(); }
    std::size_t columns() const { return columns_; }
    std::span<const std::unique_ptr<Layer>> layers() const { return layers_; }
    /// Where a layer's parameters begin in the flat vector.
    std::size_t offset(std::size_t layer) const { return offsets_[layer]; }
    /// Per parameter: does training change it?
    std::vector<bool> trainable() const;
    /// The plans of all quantum layers.
    std::vector<const Plan*> plans() const;

    /// Initial parameters from a seed.
    std::vector<double> initial(std::uint64_t seed) const;
    /// Sets the parameters of all layers. Not while other threads use the model.
    void set_parameters(std::span<const double> parameters);

    /// Stages in order.
    std::span<const Stage> stages() const { return stages_; }
    const Wiring& wiring(std::size_t layer) const { return wiring_[layer]; }
    const Quantum& quantum(std::size_t layer) const;
    const ClassicalLayer& classical(std::size_t layer) const;

    /// Outputs, one row per row of features, without other ranks and threads.
    Table forward(const Table& features) const;

private:
    std::unique_ptr<Layer> build(const LayerSpec& spec, std::int64_t qubits,
                                 const std::vector<std::string>& columns,
                                 const QuantumSettings& settings);
    Wiring wire(const LayerSpec& spec) const;
    void add_to_stages(std::size_t layer);

    std::vector<std::unique_ptr<Layer>> layers_;
    std::vector<Wiring> wiring_;
    std::vector<Stage> stages_;
    std::vector<std::size_t> offsets_{0}; // one more than layers
    std::size_t columns_;
};

} // namespace wavetrain
