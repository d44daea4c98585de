/// What every layer of a model can do.
#pragma once

#include "wavetrain/comm/exact_sum.hpp"
#include "wavetrain/model/table.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace wavetrain {

/// A named array of parameters, as it is stored: in Keras' order and shape.
struct ParameterArray {
    std::string name; ///< in Keras' files: "parameters:0", "kernel:0", "bias:0"
    std::vector<std::size_t> shape;
    /// order[i]: which of the layer's own parameters stands at place i of the array.
    std::vector<std::size_t> order;
};

/// A layer: a function from features (of the data) and inputs (outputs of other layers) to outputs,
/// with parameters. set_parameters() is called by one thread while nothing else runs; forward() and
/// backward() may then be called by many.
class Layer {
public:
    Layer(std::string name, bool trainable) : name_(std::move(name)), trainable_(trainable) {}
    virtual ~Layer() = default;

    const std::string& name() const { return name_; }
    bool trainable() const { return trainable_; }
    /// "quantum", "dense" or "concatenate".
    virtual std::string_view type() const = 0;
    /// Numbers a row of its outputs has.
    virtual std::size_t width() const = 0;
    /// Number of parameters.
    virtual std::size_t parameters() const = 0;
    /// How the parameters are stored; empty for a layer without any.
    virtual std::vector<ParameterArray> arrays() const = 0;
    /// A name for each parameter, in the layer's own order.
    virtual std::vector<std::string> parameter_names() const = 0;
    /// Initial parameters, from (seed, stream).
    virtual std::vector<double> initial(std::uint64_t seed, std::uint32_t stream) const = 0;

    virtual void set_parameters(std::span<const double> parameters) = 0;

    /// Outputs, one row per row of `inputs` and `features`.
    virtual Table forward(const Table& features, const Table& inputs) const = 0;
    /// The vector-Jacobian product. `outputs` is what forward() gave, `upstream` the derivative of
    /// the loss in them. Adds the derivatives in the layer's parameters to sums[offset ...] (not if
    /// it is frozen); returns those in `inputs`, or an empty table if they are not asked for.
    virtual Table backward(const Table& features, const Table& inputs, const Table& outputs,
                           const Table& upstream, bool want_inputs, ExactSums& sums,
                           std::size_t offset) const = 0;

private:
    std::string name_;
    bool trainable_;
};

} // namespace wavetrain
