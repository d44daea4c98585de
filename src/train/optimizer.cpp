/// Optimizers.
#include "wavetrain/train/optimizer.hpp"

#include "wavetrain/base/error.hpp"
#include "wavetrain/base/text.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace wavetrain {
namespace {

constexpr double kAdagradStart = 0.1;

std::size_t choice(const char* key, const std::string& value,
                   const std::vector<std::string>& names) {
    const auto found = std::find(names.begin(), names.end(), value);
    if (found == names.end())
        fail(Kind::usage, "unknown {} '{}'{}; there are: {}", key, value, suggestion(value, names),
             fmt::join(names, ", "));
    return static_cast<std::size_t>(found - names.begin());
}

} // namespace

Optimizer::Optimizer(const OptimizerOptions& options, std::size_t parameters)
    : options_(options),
      rule_(static_cast<Rule>(
          choice("optimizer.name", options.name, {"sgd", "adam", "adamw", "rmsprop", "adagrad"}))),
      schedule_(static_cast<Schedule>(choice("optimizer.schedule.kind", options.schedule.kind,
                                             {"constant", "exponential", "cosine"}))) {
    if (schedule_ != Schedule::constant && options.schedule.decay_steps < 1)
        fail(Kind::usage,
             "optimizer.schedule.kind \"{}\" needs optimizer.schedule.decay_steps of "
             "at least 1",
             options.schedule.kind);
    state_.first.assign(parameters, 0.0);
    state_.second.assign(parameters, rule_ == Rule::adagrad ? kAdagradStart : 0.0);
}

double Optimizer::learning_rate() const {
    const ScheduleOptions& schedule = options_.schedule;
    const double base = options_.learning_rate;
    if (state_.steps < schedule.warmup_steps)
        return base * static_cast<double>(state_.steps + 1) /
               static_cast<double>(schedule.warmup_steps);
    const auto step = static_cast<double>(state_.steps - schedule.warmup_steps);
    const auto decay = static_cast<double>(schedule.decay_steps);
    switch (schedule_) {
    case Schedule::constant: return base;
    case Schedule::exponential: return base * std::pow(schedule.decay_rate, step / decay);
    case Schedule::cosine:
        return base * 0.5 * (1.0 + std::cos(std::numbers::pi * std::min(step, decay) / decay));
    }
    return base;
}

void Optimizer::update(std::span<double> parameters, std::span<const double> gradient,
                       const std::vector<bool>& trainable) {
    const double rate = learning_rate();
    const auto t = static_cast<double>(++state_.steps);
    const double b1 = options_.beta_1;
    const double b2 = options_.beta_2;
    const double corrected = rate * std::sqrt(1.0 - std::pow(b2, t)) / (1.0 - std::pow(b1, t));
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        if (!trainable[i]) continue;
        const double g = gradient[i];
        double& w = parameters[i];
        double& m = state_.first[i];
        double& v = state_.second[i];
        switch (rule_) {
        case Rule::sgd:
            m = options_.momentum * m - rate * g;
            w += options_.nesterov ? options_.momentum * m - rate * g : m;
            break;
        case Rule::adamw: w -= rate * options_.weight_decay * w; [[fallthrough]];
        case Rule::adam:
            m = b1 * m + (1.0 - b1) * g;
            v = b2 * v + (1.0 - b2) * g * g;
            w -= corrected * m / (std::sqrt(v) + options_.epsilon);
            break;
        case Rule::rmsprop:
            v = options_.rho * v + (1.0 - options_.rho) * g * g;
            m = options_.momentum * m + rate * g / std::sqrt(v + options_.epsilon);
            w -= m;
            break;
        case Rule::adagrad:
            v += g * g;
            w -= rate * g / std::sqrt(v + options_.epsilon);
            break;
        }
    }
}

void clip_gradient(std::span<double> gradient, double norm) {
    if (norm <= 0.0) return;
    double sum = 0;
    for (double g : gradient) sum += g * g;
    const double length = std::sqrt(sum);
    if (length <= norm) return;
    for (double& g : gradient) g *= norm / length;
}

} // namespace wavetrain
