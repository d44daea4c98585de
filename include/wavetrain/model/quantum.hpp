/// The quantum layer: a circuit and its observables as a layer.
#pragma once

#include "wavetrain/gradient/gradient.hpp"
#include "wavetrain/model/layer.hpp"

namespace wavetrain {

/// Where the value of a circuit's symbol comes from.
struct SymbolSource {
    enum class From { weight, feature, input };

    From from = From::weight;
    std::size_t index = 0; ///< of the weight, the feature column or the layer input
};

/// How the engine runs a layer.
struct QuantumSettings {
    Precision precision = Precision::double_precision;
    Method method = Method::adjoint;
    CompileOptions compile;
};

/// Expectations of the observables after the circuit, one row per sample. Parameters: the symbols
/// that are neither data nor inputs, in the circuit's order; stored as Keras does for a TensorFlow
/// Quantum layer, one vector with the symbols sorted by name as text.
class Quantum final : public Layer {
public:
    /// `sources` has one entry per symbol of the circuit. A `usage` error for an unknown
    /// initialiser, and what compile() refuses.
    Quantum(std::string name, bool trainable, Circuit circuit, std::vector<PauliSum> observables,
            std::vector<SymbolSource> sources, const std::string& initializer,
            const QuantumSettings& settings);

    std::string_view type() const override { return "quantum"; }
    std::size_t width() const override { return plan_.observables.size(); }
    std::size_t parameters() const override { return weights_.size(); }
    std::vector<ParameterArray> arrays() const override;
    std::vector<std::string> parameter_names() const override;
    std::vector<double> initial(std::uint64_t seed, std::uint32_t stream) const override;
    void set_parameters(std::span<const double> parameters) override;
    Table forward(const Table& features, const Table& inputs) const override;
    Table backward(const Table& features, const Table& inputs, const Table& outputs,
                   const Table& upstream, bool want_inputs, ExactSums& sums,
                   std::size_t offset) const override;

    const Plan& plan() const { return plan_; }
    /// The plan's cones, bound to the layer's parameters.
    std::span<const BoundCone> bound() const { return bound_; }
    /// All symbols' values for one row.
    std::vector<double> symbol_values(std::span<const double> features,
                                      std::span<const double> inputs) const;

private:
    enum class Initializer { uniform_2pi, zeros, normal };

    std::vector<SymbolSource> sources_;
    std::vector<std::size_t> weights_; // per weight: its symbol
    std::vector<bool> input_symbols_;  // per symbol: comes from another layer
    Initializer initializer_;
    QuantumSettings settings_;
    Plan plan_;
    std::vector<double> parameters_;
    std::vector<BoundCone> bound_; // per cone, with the parameters
};

} // namespace wavetrain
