/// Classical layers: dense and concatenate.
#pragma once

#include "wavetrain/model/layer.hpp"

namespace wavetrain {

/// activation(x K + b). Parameters: the kernel (inputs x units, row-major), then the bias. Initial
/// kernel Glorot-uniform (Glorot and Bengio, AISTATS 2010), or zeros or normal; bias zero.
class Dense final : public ClassicalLayer {
public:
    /// A `usage` error for an unknown activation or initialiser.
    Dense(std::string name, bool trainable, std::size_t inputs, std::size_t units,
          const std::string& activation, const std::string& initializer);

    std::string_view type() const override { return "dense"; }
    std::size_t width() const override { return units_; }
    std::size_t parameters() const override { return inputs_ * units_ + units_; }
    std::vector<ParameterArray> arrays() const override;
    std::vector<std::string> parameter_names() const override;
    std::vector<double> initial(std::uint64_t seed, std::uint32_t stream) const override;
    void set_parameters(std::span<const double> parameters) override;
    Table forward(const Table& inputs) const override;
    Table backward(const Table& inputs, const Table& outputs, const Table& upstream) const override;
    void add_gradient(const Table& inputs, const Table& outputs, const Table& upstream, Range rows,
                      ExactSums& sums, std::size_t offset) const override;

private:
    enum class Activation { linear, tanh, relu, sigmoid, softmax };
    enum class Initializer { glorot_uniform, zeros, normal };

    void activate(std::span<double> row) const;
    /// upstream in the outputs -> upstream before the activation, in place.
    void deactivate(std::span<const double> outputs, std::span<double> upstream) const;

    std::size_t inputs_;
    std::size_t units_;
    Activation activation_;
    Initializer initializer_;
    std::vector<double> parameters_;
};

/// The outputs of its input layers side by side.
class Concatenate final : public ClassicalLayer {
public:
    Concatenate(std::string name, std::size_t width)
        : ClassicalLayer(std::move(name), true), width_(width) {}

    std::string_view type() const override { return "concatenate"; }
    std::size_t width() const override { return width_; }
    std::size_t parameters() const override { return 0; }
    std::vector<ParameterArray> arrays() const override { return {}; }
    std::vector<std::string> parameter_names() const override { return {}; }
    std::vector<double> initial(std::uint64_t, std::uint32_t) const override { return {}; }
    void set_parameters(std::span<const double>) override {}
    Table forward(const Table& inputs) const override { return inputs; }
    Table backward(const Table&, const Table&, const Table& upstream) const override {
        return upstream;
    }
    void add_gradient(const Table&, const Table&, const Table&, Range, ExactSums&,
                      std::size_t) const override {}

private:
    std::size_t width_;
};

} // namespace wavetrain
