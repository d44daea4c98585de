/// Optimizers against formulas written out here from Keras' documentation, schedules, clipping.
#include "catch.hpp"
#include "contains.hpp"
#include "laws.hpp"

#include "wavetrain/train/optimizer.hpp"

#include <cmath>
#include <limits>
#include <numbers>

using namespace wavetrain;
using namespace wavetrain::test;

namespace {

OptimizerOptions options_of(const std::string& name) {
    OptimizerOptions options;
    options.name = name;
    options.learning_rate = 0.1;
    return options;
}

/// Runs an optimizer and a formula(w, g, t) side by side on two weights, t from 1.
template <class Formula> void check_rule(const OptimizerOptions& options, Formula formula) {
    Dice dice(1);
    Optimizer optimizer(options, 1);
    double expected = 0.7;
    std::vector<double> weight{0.7};
    for (int t = 1; t <= 20; ++t) {
        const double g = dice.number(-2, 2);
        optimizer.update(weight, std::vector{g}, {true});
        expected = formula(expected, g, t);
        CHECK(std::abs(weight[0] - expected) < 1e-13);
    }
    CHECK(optimizer.state().steps == 20);
}

} // namespace

TEST_CASE("SGD: w - lr g; momentum: velocity; Nesterov: ahead of it", "[optimizer]") {
    check_rule(options_of("sgd"), [](double w, double g, int) { return w - 0.1 * g; });
    OptimizerOptions options = options_of("sgd");
    options.momentum = 0.9;
    double velocity = 0;
    check_rule(options, [&](double w, double g, int) {
        velocity = 0.9 * velocity - 0.1 * g;
        return w + velocity;
    });
    options.nesterov = true;
    velocity = 0;
    check_rule(options, [&](double w, double g, int) {
        velocity = 0.9 * velocity - 0.1 * g;
        return w + 0.9 * velocity - 0.1 * g;
    });
}

TEST_CASE("Adam in Keras' form, AdamW shrinks first", "[optimizer]") {
    OptimizerOptions options = options_of("adam");
    options.beta_1 = 0.8;
    options.beta_2 = 0.95;
    options.epsilon = 1e-3; // large enough to show where it stands
    double m = 0, v = 0;
    const auto adam = [&](double w, double g, int t) {
        m = 0.8 * m + 0.2 * g;
        v = 0.95 * v + 0.05 * g * g;
        const double rate = 0.1 * std::sqrt(1 - std::pow(0.95, t)) / (1 - std::pow(0.8, t));
        return w - rate * m / (std::sqrt(v) + 1e-3);
    };
    check_rule(options, adam);
    options.name = "adamw";
    options.weight_decay = 0.05;
    m = v = 0;
    check_rule(options, [&](double w, double g, int t) { return adam(w - 0.1 * 0.05 * w, g, t); });
}

TEST_CASE("RMSProp and Adagrad keep epsilon inside the root", "[optimizer]") {
    OptimizerOptions options = options_of("rmsprop");
    options.rho = 0.7;
    options.epsilon = 1e-3;
    double mean = 0;
    check_rule(options, [&](double w, double g, int) {
        mean = 0.7 * mean + 0.3 * g * g;
        return w - 0.1 * g / std::sqrt(mean + 1e-3);
    });
    options.momentum = 0.5;
    mean = 0;
    double velocity = 0;
    check_rule(options, [&](double w, double g, int) {
        mean = 0.7 * mean + 0.3 * g * g;
        velocity = 0.5 * velocity + 0.1 * g / std::sqrt(mean + 1e-3);
        return w - velocity;
    });
    options = options_of("adagrad");
    options.epsilon = 1e-3;
    double sum = 0.1;
    check_rule(options, [&](double w, double g, int) {
        sum += g * g;
        return w - 0.1 * g / std::sqrt(sum + 1e-3);
    });
}

TEST_CASE("B100: six updates of Adam in Keras' form", "[optimizer]") {
    Optimizer optimizer(options_of("adam"), 1);
    std::vector<double> weight{0.0};
    double last = 0;
    for (const double g : {1.0, -0.5, 0.25, 0.8, -0.3, 0.6}) {
        last = weight[0];
        optimizer.update(weight, std::vector{g}, {true});
    }
    CHECK(std::abs(weight[0] - last + 0.0479986749) < 1e-10);
    CHECK(std::abs(weight[0] + 0.2997660935) < 1e-10);
}

TEST_CASE("B100: a state carried over goes on in every last bit", "[optimizer]") {
    for (const char* name : {"sgd", "adam", "adamw", "rmsprop", "adagrad"}) {
        OptimizerOptions options = options_of(name);
        options.momentum = 0.9;
        options.schedule = {"cosine", 3, 20, 1.0};
        Dice dice(2);
        Optimizer whole(options, 2), first(options, 2), second(options, 2);
        std::vector<double> a{0.1, 0.2}, b = a;
        for (int t = 0; t < 12; ++t) {
            const auto gradient = random_values(dice, 2);
            whole.update(a, gradient, {true, true});
            Optimizer& half = t < 5 ? first : second;
            if (t == 5) second.set_state(first.state());
            half.update(b, gradient, {true, true});
        }
        INFO(name);
        CHECK(a == b);
    }
}

TEST_CASE("B24: a gradient of zero moves nothing and makes no NaN", "[optimizer]") {
    for (const char* name : {"sgd", "adam", "rmsprop", "adagrad"}) {
        Optimizer optimizer(options_of(name), 1);
        std::vector<double> weight{0.0};
        for (int t = 0; t < 3; ++t) optimizer.update(weight, std::vector{0.0}, {true});
        INFO(name);
        CHECK(weight[0] == 0.0);
    }
}

TEST_CASE("frozen parameters stay as they are", "[optimizer]") {
    for (const char* name : {"sgd", "adam", "adamw", "rmsprop", "adagrad"}) {
        Optimizer optimizer(options_of(name), 3);
        std::vector<double> weights{1.0, 2.0, 3.0};
        optimizer.update(weights, std::vector{1.0, 1.0, 1.0}, {true, false, true});
        INFO(name);
        CHECK(weights[0] != 1.0);
        CHECK(weights[1] == 2.0);
        CHECK(weights[2] != 3.0);
    }
}

TEST_CASE("schedules: warm-up, then constant, exponential or cosine", "[optimizer]") {
    for (const char* kind : {"constant", "exponential", "cosine"}) {
        OptimizerOptions options = options_of("sgd");
        options.schedule = {kind, 4, 10, 0.5};
        Optimizer optimizer(options, 1);
        std::vector<double> weight{0.0};
        for (int step = 0; step < 30; ++step) {
            const double s = step - 4;
            double expected = 0.1;
            if (step < 4)
                expected = 0.1 * (step + 1) / 4;
            else if (std::string(kind) == "exponential")
                expected = 0.1 * std::pow(0.5, s / 10);
            else if (std::string(kind) == "cosine")
                expected = s < 10 ? 0.05 * (1 + std::cos(std::numbers::pi * s / 10)) : 0.0;
            INFO(kind << ", step " << step);
            CHECK(std::abs(optimizer.learning_rate() - expected) < 1e-15);
            const double before = weight[0];
            optimizer.update(weight, std::vector{1.0}, {true});
            CHECK(std::abs(before - weight[0] - expected) < 1e-14);
        }
    }
    OptimizerOptions options = options_of("sgd");
    options.schedule.kind = "cosine";
    CHECK_THROWS_AS(Optimizer(options, 1), Error);
}

TEST_CASE("names that are not known are refused with the nearest one", "[optimizer]") {
    const auto text = [](const OptimizerOptions& options) -> std::string {
        try {
            Optimizer optimizer(options, 1);
        } catch (const Error& error) {
            CHECK(error.kind() == Kind::usage);
            return error.what();
        }
        return "accepted";
    };
    CHECK(contains(text(options_of("adan")), "adam"));
    OptimizerOptions options = options_of("adam");
    options.schedule.kind = "cosin";
    CHECK(contains(text(options), "cosine"));
}

TEST_CASE("clipping scales down to the norm, never up", "[optimizer]") {
    std::vector<double> gradient{3.0, 4.0};
    clip_gradient(gradient, 0.0);
    CHECK(gradient == std::vector<double>{3.0, 4.0});
    clip_gradient(gradient, 5.0);
    CHECK(gradient == std::vector<double>{3.0, 4.0});
    clip_gradient(gradient, 2.5);
    CHECK(std::abs(gradient[0] - 1.5) < 1e-15);
    CHECK(std::abs(gradient[1] - 2.0) < 1e-15);
    std::vector<double> zero{0.0, 0.0};
    clip_gradient(zero, 1.0);
    CHECK(zero == std::vector<double>{0.0, 0.0});
}
