/// Losses in Keras' forms.
#include "wavetrain/model/loss.hpp"

#include "wavetrain/base/error.hpp"
#include "wavetrain/base/text.hpp"

#include <algorithm>
#include <cmath>

namespace wavetrain {
namespace {

/// Keras keeps probabilities this far from 0 and 1.
constexpr double kProbabilityMargin = 1e-7;

const std::vector<std::string>& loss_names() {
    static const std::vector<std::string> names{
        "mse",
        "mae",
        "hinge",
        "binary_crossentropy",
        "categorical_crossentropy",
        "sparse_categorical_crossentropy",
        "expectation",
    };
    return names;
}

bool inside(double p) { return p > kProbabilityMargin && p < 1.0 - kProbabilityMargin; }

double clipped(double p) {
    // Written so that a NaN stays one.
    if (p < kProbabilityMargin) return kProbabilityMargin;
    if (p > 1.0 - kProbabilityMargin) return 1.0 - kProbabilityMargin;
    return p;
}

/// Labels of the hinge loss may be 0/1 or -1/+1.
double hinge_label(double label) { return label == 0.0 ? -1.0 : label; }

double sum_of(std::span<const double> values) {
    double sum = 0;
    for (double v : values) sum += v;
    return sum;
}

std::size_t largest(std::span<const double> values) {
    return static_cast<std::size_t>(std::max_element(values.begin(), values.end()) -
                                    values.begin());
}

/// The weight of each class in the cross-entropy of a sample.
std::vector<double> class_weights(Loss::Type type, std::size_t classes,
                                  std::span<const double> label) {
    if (type == Loss::Type::categorical_crossentropy) return {label.begin(), label.end()};
    std::vector<double> weights(classes, 0.0);
    weights[static_cast<std::size_t>(label[0])] = 1.0;
    return weights;
}

} // namespace

Loss::Loss(std::string_view name) {
    const auto& names = loss_names();
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
        fail(Kind::usage, "unknown loss '{}'{}; there are: {}", name, suggestion(name, names),
             fmt::join(names, ", "));
    type_ = static_cast<Type>(found - names.begin());
}

void Loss::check_labels(const Table& labels, std::size_t outputs, const std::string& where,
                        std::span<const int> lines) const {
    if (!has_labels()) return;
    const std::string& name = loss_names()[static_cast<std::size_t>(type_)];
    if (labels.width == 0)
        fail(Kind::usage, "{}: loss '{}' needs labels, and there are none", where, name);
    const bool sparse = type_ == Type::sparse_categorical_crossentropy;
    const std::size_t width = sparse ? 1 : outputs;
    if (labels.width != width)
        fail(Kind::usage,
             "{}: {} label column{}, but loss '{}' of a model with {} output{} takes {}", where,
             labels.width, labels.width == 1 ? "" : "s", name, outputs, outputs == 1 ? "" : "s",
             width);
    for (std::size_t s = 0; s < labels.rows; ++s) {
        const auto label = labels.row(s);
        const auto refuse = [&](double value, const std::string& wanted) {
            fail_at({where, lines.empty() ? 0 : lines[s], 0}, Kind::usage,
                    "sample {} has the label {}, but loss '{}' takes {}", s + 1, shortest(value),
                    name, wanted);
        };
        for (double value : label) {
            if (type_ == Type::hinge && value != 0.0 && std::abs(value) != 1.0)
                refuse(value, "-1 and +1 (or 0 and 1)");
            if ((type_ == Type::binary_crossentropy || type_ == Type::categorical_crossentropy) &&
                !(value >= 0.0 && value <= 1.0))
                refuse(value, "probabilities from 0 to 1");
            if (sparse && !(value >= 0.0 && value < static_cast<double>(outputs) &&
                            value == std::floor(value)))
                refuse(value, format("whole numbers from 0 to {}", outputs - 1));
        }
    }
}

double Loss::value(std::span<const double> output, std::span<const double> label) const {
    const auto count = static_cast<double>(output.size());
    double sum = 0;
    switch (type_) {
    case Type::mse:
        for (std::size_t j = 0; j < output.size(); ++j)
            sum += (output[j] - label[j]) * (output[j] - label[j]);
        return sum / count;
    case Type::mae:
        for (std::size_t j = 0; j < output.size(); ++j) sum += std::abs(output[j] - label[j]);
        return sum / count;
    case Type::hinge:
        for (std::size_t j = 0; j < output.size(); ++j) {
            const double margin = 1.0 - hinge_label(label[j]) * output[j];
            sum += margin < 0.0 ? 0.0 : margin;
        }
        return sum / count;
    case Type::binary_crossentropy:
        for (std::size_t j = 0; j < output.size(); ++j) {
            const double p = clipped(output[j]);
            sum -= label[j] * std::log(p) + (1.0 - label[j]) * std::log(1.0 - p);
        }
        return sum / count;
    case Type::categorical_crossentropy:
    case Type::sparse_categorical_crossentropy: {
        const double total = sum_of(output);
        const auto weights = class_weights(type_, output.size(), label);
        for (std::size_t j = 0; j < output.size(); ++j)
            if (weights[j] != 0.0) sum -= weights[j] * std::log(clipped(output[j] / total));
        return sum;
    }
    case Type::expectation: return sum_of(output);
    }
    return sum;
}

std::vector<double> Loss::derivative(std::span<const double> output,
                                     std::span<const double> label) const {
    const auto count = static_cast<double>(output.size());
    std::vector<double> result(output.size(), 0.0);
    switch (type_) {
    case Type::mse:
        for (std::size_t j = 0; j < output.size(); ++j)
            result[j] = 2.0 * (output[j] - label[j]) / count;
        break;
    case Type::mae:
        for (std::size_t j = 0; j < output.size(); ++j) {
            const double off = output[j] - label[j];
            result[j] = (off > 0.0 ? 1.0 : off < 0.0 ? -1.0 : 0.0) / count;
        }
        break;
    case Type::hinge:
        for (std::size_t j = 0; j < output.size(); ++j) {
            const double t = hinge_label(label[j]);
            if (1.0 - t * output[j] > 0.0) result[j] = -t / count;
        }
        break;
    case Type::binary_crossentropy:
        for (std::size_t j = 0; j < output.size(); ++j)
            if (inside(output[j]))
                result[j] = ((1.0 - label[j]) / (1.0 - output[j]) - label[j] / output[j]) / count;
        break;
    case Type::categorical_crossentropy:
    case Type::sparse_categorical_crossentropy: {
        // Of p_j = y_j / total: d/dy_k sum_j -t_j ln p_j = -t_k / y_k + (sum_j t_j) / total.
        const double total = sum_of(output);
        const auto weights = class_weights(type_, output.size(), label);
        double common = 0;
        for (std::size_t j = 0; j < output.size(); ++j)
            if (inside(output[j] / total)) common += weights[j] / total;
        for (std::size_t j = 0; j < output.size(); ++j) {
            result[j] = common;
            if (weights[j] != 0.0 && inside(output[j] / total)) result[j] -= weights[j] / output[j];
        }
        break;
    }
    case Type::expectation: std::fill(result.begin(), result.end(), 1.0); break;
    }
    return result;
}

bool Loss::correct(std::span<const double> output, std::span<const double> label) const {
    switch (type_) {
    case Type::categorical_crossentropy: return largest(output) == largest(label);
    case Type::sparse_categorical_crossentropy:
        return largest(output) == static_cast<std::size_t>(label[0]);
    case Type::binary_crossentropy:
        return std::equal(output.begin(), output.end(), label.begin(),
                          [](double o, double t) { return (o > 0.5) == (t > 0.5); });
    case Type::hinge:
        return std::equal(output.begin(), output.end(), label.begin(),
                          [](double o, double t) { return (o >= 0.0) == (hinge_label(t) >= 0.0); });
    default:
        return std::equal(output.begin(), output.end(), label.begin(),
                          [](double o, double t) { return (o >= 0.0) == (t >= 0.0); });
    }
}

} // namespace wavetrain
