/// Losses: value, derivative and correctness of one sample's outputs.
#pragma once

#include "wavetrain/model/table.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace wavetrain {

/// A loss of one sample, as Keras defines it (the mean over the outputs); the loss of a batch is
/// the mean over its samples.
class Loss {
public:
    enum class Type {
        mse,
        mae,
        hinge,
        binary_crossentropy,
        categorical_crossentropy,
        sparse_categorical_crossentropy,
        expectation,
    };

    /// A `usage` error for an unknown name.
    explicit Loss(std::string_view name);

    /// False for "expectation": it takes no labels and has no accuracy.
    bool has_labels() const { return type_ != Type::expectation; }
    /// Refuses labels that do not fit the loss or the model's outputs: a `usage` error naming
    /// `where` the data came from and the first such row (by its line, where `lines` has them).
    void check_labels(const Table& labels, std::size_t outputs, const std::string& where,
                      std::span<const int> lines = {}) const;

    /// The loss of one sample. For "expectation" `label` is empty.
    double value(std::span<const double> output, std::span<const double> label) const;
    /// Its derivative in the outputs.
    std::vector<double> derivative(std::span<const double> output,
                                   std::span<const double> label) const;
    /// Whether the sample is classified rightly: by sign (0 counts as +1), by the threshold 0.5, or
    /// by the largest output.
    bool correct(std::span<const double> output, std::span<const double> label) const;

private:
    Type type_;
};

} // namespace wavetrain
