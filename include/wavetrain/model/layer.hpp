/// What every layer of a model can do.
#pragma once

#include "wavetrain/comm/exact_sum.hpp"
#include "wavetrain/model/units.hpp"

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
/// with parameters. set_parameters() is called by one thread while nothing else runs; all that is
/// const may then be called by many.
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

private:
    std::string name_;
    bool trainable_;
};

/// A layer that every rank runs for all samples, since it costs next to nothing. A row's outputs
/// do not depend on the rows beside it.
class ClassicalLayer : public Layer {
public:
    using Layer::Layer;

    /// Outputs, one row per row of `inputs`.
    virtual Table forward(const Table& inputs) const = 0;
    /// The derivative of the loss in `inputs`, from `upstream`, that in `outputs` (which forward()
    /// gave).
    virtual Table backward(const Table& inputs, const Table& outputs,
                           const Table& upstream) const = 0;
    /// Adds the derivatives in the layer's parameters, summed over the given rows in their order,
    /// to sums[offset ...].
    virtual void add_gradient(const Table& inputs, const Table& outputs, const Table& upstream,
                              Range rows, ExactSums& sums, std::size_t offset) const = 0;
};

} // namespace wavetrain
