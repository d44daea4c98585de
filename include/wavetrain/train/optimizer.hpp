/// Optimizers in Keras' forms, learning-rate schedules, gradient clipping.
#pragma once

#include "wavetrain/train/options.hpp"

#include <span>
#include <string>
#include <vector>

namespace wavetrain {

/// What an optimizer remembers between steps.
struct OptimizerState {
    std::int64_t steps = 0;     ///< updates done
    std::vector<double> first;  ///< Adam's m, momentum
    std::vector<double> second; ///< Adam's v, RMSProp's and Adagrad's accumulator
};

/// One update rule. Keras 2/3's forms: Adam and AdamW with the bias correction in the learning rate
/// and epsilon outside the root; RMSProp and Adagrad with epsilon inside it; Adagrad's accumulator
/// starts at 0.1; AdamW first shrinks the weights by learning_rate * weight_decay.
class Optimizer {
public:
    /// `usage` errors: unknown name or schedule, a schedule without its steps.
    Optimizer(const OptimizerOptions& options, std::size_t parameters);

    /// The learning rate of the next update. Warm-up grows linearly over warmup_steps; then
    /// exponential: rate^(s / decay_steps), cosine: (1 + cos(pi min(s, decay_steps) /
    /// decay_steps)) / 2, with s counted from the end of the warm-up.
    double learning_rate() const;

    /// Updates the parameters whose `trainable` is true.
    void update(std::span<double> parameters, std::span<const double> gradient,
                const std::vector<bool>& trainable);

    const OptimizerState& state() const { return state_; }
    void set_state(OptimizerState state) { state_ = std::move(state); }

private:
    enum class Rule { sgd, adam, adamw, rmsprop, adagrad };
    enum class Schedule { constant, exponential, cosine };

    OptimizerOptions options_;
    Rule rule_;
    Schedule schedule_;
    OptimizerState state_;
};

/// Scales the gradient down to the given Euclidean norm if it is longer (0: never); sums in order.
void clip_gradient(std::span<double> gradient, double norm);

} // namespace wavetrain
