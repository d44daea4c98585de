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
    bool deduplicate = true; ///< samples that are the same to a cone are one execution
};

/// What the units of work need to know of one cone.
struct ConeUse {
    std::vector<std::size_t> weights; ///< numbers of the weights that its gates use
    std::vector<SymbolSource> data;   ///< features and inputs that its gates use
    std::vector<std::size_t> inputs;  ///< symbols among them that come from other layers
    std::vector<BlockRange> ranges;   ///< a unit of the gradient each; none without derivatives
    double forward_flops = 0.0;       ///< of one execution
    double gradient_flops = 0.0;      ///< of one execution and range
};

/// Expectations of the observables after the circuit, cone by cone. Parameters: the symbols
/// that are neither data nor inputs, in the circuit's order; stored as Keras does for a TensorFlow
/// Quantum layer, one vector with the symbols sorted by name as text.
class Quantum final : public Layer {
public:
    /// `sources` has one entry per symbol of the circuit; `driven`: derivatives in the inputs from
    /// other layers are wanted. A `usage` error for an unknown initialiser, and what compile()
    /// refuses.
    Quantum(std::string name, bool trainable, Circuit circuit, std::vector<PauliSum> observables,
            std::vector<SymbolSource> sources, bool driven, const std::string& initializer,
            const QuantumSettings& settings);

    std::string_view type() const override { return "quantum"; }
    std::size_t width() const override { return plan_.observables.size(); }
    std::size_t parameters() const override { return weights_.size(); }
    std::vector<ParameterArray> arrays() const override;
    std::vector<std::string> parameter_names() const override;
    std::vector<double> initial(std::uint64_t seed, std::uint32_t stream) const override;
    void set_parameters(std::span<const double> parameters) override;

    const Plan& plan() const { return plan_; }
    std::span<const ConeUse> uses() const { return uses_; }
    /// The executions of a cone for these rows. Merged are rows that have the same values of all
    /// data that the cone uses, unless settings forbid it or derivatives in inputs are wanted: each
    /// row then needs its own.
    Executions executions(std::size_t cone, const Table& features, const Table& inputs) const;
    /// Expectations of a cone's observables for the rows `samples`.
    std::vector<std::vector<double>> evaluate(std::size_t cone,
                                              std::span<const std::size_t> samples,
                                              const Table& features, const Table& inputs,
                                              int threads) const;
    /// The gradient of one range of a cone for the rows `samples`; `upstream` has a weight per
    /// sample and observable of the cone.
    ConeGradient differentiate(std::size_t cone, const BlockRange& range,
                               std::span<const std::size_t> samples, const Table& features,
                               const Table& inputs, std::vector<std::vector<double>> upstream,
                               int threads) const;
    /// Bytes of the states that a unit of work of a cone holds at once.
    double unit_bytes(std::size_t cone, bool gradient) const;
    /// Adds the derivatives in the weights to sums[offset ...].
    void add_gradient(std::size_t cone, const ConeGradient& gradient, ExactSums& sums,
                      std::size_t offset) const;
    /// The layer input that a symbol takes its value from.
    std::size_t input_of(std::size_t symbol) const { return sources_[symbol].index; }
    /// The plan's cones, bound to the layer's parameters.
    std::span<const BoundCone> bound() const { return bound_; }
    /// All symbols' values for one row.
    std::vector<double> symbol_values(std::span<const double> features,
                                      std::span<const double> inputs) const;

private:
    enum class Initializer { uniform_2pi, zeros, normal };

    ConeUse use_of(const Cone& cone) const;
    std::vector<std::vector<double>> symbol_values(std::span<const std::size_t> samples,
                                                   const Table& features,
                                                   const Table& inputs) const;

    std::vector<SymbolSource> sources_;
    bool driven_;
    std::vector<std::size_t> weights_; // per weight: its symbol
    std::vector<bool> wanted_;         // per symbol: its derivative is
    Initializer initializer_;
    QuantumSettings settings_;
    Plan plan_;
    std::vector<ConeUse> uses_; // per cone
    std::vector<double> parameters_;
    std::vector<BoundCone> bound_; // per cone, with the parameters
};

} // namespace wavetrain
