/// Dense layers. Plain loops: every number is the same whatever the alignment or the row count.
#include "wavetrain/model/dense.hpp"

#include "wavetrain/base/error.hpp"
#include "wavetrain/base/random.hpp"
#include "wavetrain/base/text.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace wavetrain {
namespace {

constexpr double kNormalDeviation = 0.05; // as Keras' "random_normal"

std::size_t choice(const std::string& layer, const char* what, const std::string& value,
                   const std::vector<std::string>& names) {
    const auto found = std::find(names.begin(), names.end(), value);
    if (found == names.end())
        fail(Kind::usage, "layer '{}': unknown {} '{}'{}; there are: {}", layer, what, value,
             suggestion(value, names), fmt::join(names, ", "));
    return static_cast<std::size_t>(found - names.begin());
}

} // namespace

Dense::Dense(std::string name, bool trainable, std::size_t inputs, std::size_t units,
             const std::string& activation, const std::string& initializer)
    : ClassicalLayer(std::move(name), trainable), inputs_(inputs), units_(units),
      activation_(
          static_cast<Activation>(choice(this->name(), "activation", activation,
                                         {"linear", "tanh", "relu", "sigmoid", "softmax"}))),
      initializer_(static_cast<Initializer>(
          choice(this->name(), "initializer", initializer.empty() ? "glorot_uniform" : initializer,
                 {"glorot_uniform", "zeros", "normal"}))) {}

std::vector<ParameterArray> Dense::arrays() const {
    std::vector<std::size_t> kernel(inputs_ * units_);
    std::iota(kernel.begin(), kernel.end(), std::size_t{0});
    std::vector<std::size_t> bias(units_);
    std::iota(bias.begin(), bias.end(), inputs_ * units_);
    return {{"kernel:0", {inputs_, units_}, kernel}, {"bias:0", {units_}, bias}};
}

std::vector<std::string> Dense::parameter_names() const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < inputs_; ++i)
        for (std::size_t u = 0; u < units_; ++u) names.push_back(format("kernel[{},{}]", i, u));
    for (std::size_t u = 0; u < units_; ++u) names.push_back(format("bias[{}]", u));
    return names;
}

std::vector<double> Dense::initial(std::uint64_t seed, std::uint32_t stream) const {
    std::vector<double> values(parameters(), 0.0);
    const double limit = std::sqrt(6.0 / static_cast<double>(inputs_ + units_));
    for (std::size_t i = 0; i < inputs_ * units_; ++i) {
        if (initializer_ == Initializer::glorot_uniform)
            values[i] = limit * (2.0 * random_uniform(seed, Purpose::weights, i, stream) - 1.0);
        else if (initializer_ == Initializer::normal)
            values[i] = kNormalDeviation * random_normal(seed, Purpose::weights, i, stream);
    }
    return values;
}

void Dense::set_parameters(std::span<const double> parameters) {
    parameters_.assign(parameters.begin(), parameters.end());
}

void Dense::activate(std::span<double> row) const {
    switch (activation_) {
    case Activation::linear: return;
    case Activation::tanh:
        for (double& v : row) v = std::tanh(v);
        return;
    case Activation::relu:
        // A NaN stays one: it must reach the loss and be seen.
        for (double& v : row) v = v < 0.0 ? 0.0 : v;
        return;
    case Activation::sigmoid:
        for (double& v : row) v = 1.0 / (1.0 + std::exp(-v));
        return;
    case Activation::softmax: {
        const double largest = *std::max_element(row.begin(), row.end());
        double sum = 0;
        for (double& v : row) sum += v = std::exp(v - largest);
        for (double& v : row) v /= sum;
        return;
    }
    }
}

void Dense::deactivate(std::span<const double> outputs, std::span<double> upstream) const {
    switch (activation_) {
    case Activation::linear: return;
    case Activation::tanh:
        for (std::size_t u = 0; u < units_; ++u) upstream[u] *= 1.0 - outputs[u] * outputs[u];
        return;
    case Activation::relu:
        for (std::size_t u = 0; u < units_; ++u)
            if (outputs[u] == 0.0) upstream[u] = 0.0;
        return;
    case Activation::sigmoid:
        for (std::size_t u = 0; u < units_; ++u) upstream[u] *= outputs[u] * (1.0 - outputs[u]);
        return;
    case Activation::softmax: {
        double dot = 0;
        for (std::size_t u = 0; u < units_; ++u) dot += upstream[u] * outputs[u];
        for (std::size_t u = 0; u < units_; ++u) upstream[u] = outputs[u] * (upstream[u] - dot);
        return;
    }
    }
}

Table Dense::forward(const Table& inputs) const {
    Table outputs(inputs.rows, units_);
    const std::span<const double> bias = std::span(parameters_).subspan(inputs_ * units_);
    for (std::size_t r = 0; r < inputs.rows; ++r) {
        const auto x = inputs.row(r);
        const auto y = outputs.row(r);
        for (std::size_t i = 0; i < inputs_; ++i)
            for (std::size_t u = 0; u < units_; ++u) y[u] += x[i] * parameters_[i * units_ + u];
        for (std::size_t u = 0; u < units_; ++u) y[u] += bias[u];
        activate(y);
    }
    return outputs;
}

Table Dense::backward(const Table& inputs, const Table& outputs, const Table& upstream) const {
    Table below(inputs.rows, inputs_);
    std::vector<double> delta(units_);
    for (std::size_t r = 0; r < inputs.rows; ++r) {
        const auto up = upstream.row(r);
        delta.assign(up.begin(), up.end());
        deactivate(outputs.row(r), delta);
        const auto down = below.row(r);
        for (std::size_t i = 0; i < inputs_; ++i)
            for (std::size_t u = 0; u < units_; ++u)
                down[i] += parameters_[i * units_ + u] * delta[u];
    }
    return below;
}

void Dense::add_gradient(const Table& inputs, const Table& outputs, const Table& upstream,
                         Range rows, ExactSums& sums, std::size_t offset) const {
    std::vector<double> gradient(parameters(), 0.0);
    std::vector<double> delta(units_);
    for (std::size_t r = rows.first; r < rows.last; ++r) {
        const auto x = inputs.row(r);
        const auto up = upstream.row(r);
        delta.assign(up.begin(), up.end());
        deactivate(outputs.row(r), delta);
        for (std::size_t i = 0; i < inputs_; ++i)
            for (std::size_t u = 0; u < units_; ++u) gradient[i * units_ + u] += x[i] * delta[u];
        for (std::size_t u = 0; u < units_; ++u) gradient[inputs_ * units_ + u] += delta[u];
    }
    sums.add(offset, gradient);
}

} // namespace wavetrain
