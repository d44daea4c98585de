/// Losses against formulas typed here, their derivatives, accuracy, and labels that are refused.
#include "catch.hpp"
#include "contains.hpp"
#include "oracle.hpp"

#include "wavetrain/base/error.hpp"
#include "wavetrain/model/loss.hpp"

#include <cmath>

using namespace wavetrain;
using namespace wavetrain::test;

namespace {

using Row = std::vector<double>;

double value(const char* loss, const Row& output, const Row& label) {
    return Loss(loss).value(output, label);
}

bool right(const char* loss, const Row& output, const Row& label) {
    return Loss(loss).correct(output, label);
}

bool near(double a, double b) { return std::abs(a - b) < 1e-14; }

std::string refusal(const char* loss, const Table& labels, std::size_t outputs) {
    try {
        Loss(loss).check_labels(labels, outputs, "data.csv");
    } catch (const Error& error) {
        CHECK(error.kind() == Kind::usage);
        CHECK(contains(error.what(), "data.csv"));
        return error.what();
    }
    return "accepted";
}

Table column(const Row& values, std::size_t width = 1) {
    Table table(values.size() / width, width);
    table.values = values;
    return table;
}

} // namespace

TEST_CASE("losses are Keras' means over the outputs", "[loss]") {
    CHECK(near(value("mse", {1.0, 3.0}, {0.0, 1.0}), 2.5));
    CHECK(near(value("mae", {1.0, 3.0}, {0.0, 4.0}), 1.0));
    CHECK(near(value("hinge", {0.5, -2.0}, {1.0, -1.0}), 0.25));
    CHECK(near(value("hinge", {0.5, 0.25}, {1.0, 0.0}), (0.5 + 1.25) / 2)); // 0/1 labels
    CHECK(near(value("binary_crossentropy", {0.8, 0.3}, {1.0, 0.0}),
               -(std::log(0.8) + std::log(0.7)) / 2));
    CHECK(
        near(value("categorical_crossentropy", {0.2, 0.5, 0.3}, {0.0, 1.0, 0.0}), -std::log(0.5)));
    // Outputs that are no distribution are divided by their sum.
    CHECK(near(value("categorical_crossentropy", {0.4, 1.0, 0.6}, {0.5, 0.5, 0.0}),
               -0.5 * std::log(0.2) - 0.5 * std::log(0.5)));
    CHECK(near(value("sparse_categorical_crossentropy", {0.2, 0.5, 0.3}, {2.0}), -std::log(0.3)));
    CHECK(near(value("expectation", {0.2, -0.5}, {}), -0.3));
}

TEST_CASE("cross-entropies stay finite at 0 and 1", "[loss]") {
    for (const double p : {0.0, 1.0})
        for (const double t : {0.0, 1.0}) {
            CHECK(std::isfinite(value("binary_crossentropy", {p}, {t})));
            CHECK(std::isfinite(Loss("binary_crossentropy").derivative(Row{p}, Row{t})[0]));
        }
    CHECK(near(value("binary_crossentropy", {0.0}, {1.0}), -std::log(1e-7)));
    CHECK(std::isfinite(value("categorical_crossentropy", {0.0, 1.0}, {1.0, 0.0})));
    for (double d : Loss("categorical_crossentropy").derivative(Row{0.0, 1.0}, Row{1.0, 0.0}))
        CHECK(std::isfinite(d));
    // A NaN is not hidden by the margin.
    for (const char* loss :
         {"mse", "mae", "hinge", "binary_crossentropy", "categorical_crossentropy"})
        CHECK(std::isnan(value(loss, {std::nan("")}, {1.0})));
}

TEST_CASE("derivatives are the values'", "[loss]") {
    struct Case {
        const char* loss;
        Row output, label;
    };
    const std::vector<Case> cases{
        {"mse", {0.3, -1.2, 2.0}, {1.0, 0.0, -1.0}},
        {"mae", {0.3, -1.2, 2.0}, {1.0, 0.0, -1.0}},
        {"hinge", {0.3, -1.5, 2.0}, {1.0, -1.0, 0.0}},
        {"binary_crossentropy", {0.3, 0.6, 0.9}, {1.0, 0.0, 0.25}},
        {"categorical_crossentropy", {0.3, 0.5, 0.2}, {0.25, 0.75, 0.0}},
        {"categorical_crossentropy", {0.6, 0.5, 0.4}, {0.25, 0.5, 0.0}},
        {"sparse_categorical_crossentropy", {0.6, 0.5, 0.4}, {1.0}},
        {"expectation", {0.3, -0.2}, {}},
    };
    for (const Case& one : cases) {
        const Loss loss(one.loss);
        const auto slopes = loss.derivative(one.output, one.label);
        REQUIRE(slopes.size() == one.output.size());
        Row output = one.output;
        for (std::size_t j = 0; j < output.size(); ++j) {
            const double expected = derivative(
                [&](double x) {
                    output[j] = x;
                    return loss.value(output, one.label);
                },
                one.output[j], 0.002);
            output[j] = one.output[j];
            INFO(one.loss << ", output " << j);
            CHECK(std::abs(slopes[j] - expected) < 1e-10);
        }
    }
}

TEST_CASE("right means the right sign, side of 0.5 or largest output", "[loss]") {
    for (const char* loss : {"mse", "mae", "hinge"}) {
        CHECK(right(loss, {0.1}, {1.0}));
        CHECK(!right(loss, {-0.1}, {1.0}));
        CHECK(right(loss, {0.0}, {1.0})); // 0 counts as +1
        CHECK(!right(loss, {0.0}, {-1.0}));
        CHECK(right(loss, {-3.0}, {-1.0}));
        CHECK(!right(loss, {1.0, -1.0}, {1.0, 1.0})); // every output counts
    }
    CHECK(right("hinge", {-0.5}, {0.0}));
    CHECK(right("binary_crossentropy", {0.6}, {1.0}));
    CHECK(right("binary_crossentropy", {0.5}, {0.0}));
    CHECK(!right("binary_crossentropy", {0.4}, {1.0}));
    CHECK(right("categorical_crossentropy", {0.2, 0.5, 0.3}, {0.0, 1.0, 0.0}));
    CHECK(!right("categorical_crossentropy", {0.6, 0.1, 0.3}, {0.0, 1.0, 0.0}));
    CHECK(right("sparse_categorical_crossentropy", {0.2, 0.5, 0.3}, {1.0}));
    CHECK(!right("sparse_categorical_crossentropy", {0.2, 0.5, 0.3}, {2.0}));
}

TEST_CASE("labels that do not fit are refused with their row", "[loss]") {
    const double nan = std::nan("");
    CHECK(refusal("mse", column({0.3, -7.0}), 1) == "accepted");
    CHECK(contains(refusal("mse", Table(2, 0), 1), "needs labels"));
    CHECK(contains(refusal("mse", column({1, 2}), 2), "2 outputs"));
    CHECK(refusal("hinge", column({1, -1, 0}), 1) == "accepted");
    CHECK(contains(refusal("hinge", column({1, 0.5}), 1), "sample 2"));
    CHECK(contains(refusal("hinge", column({nan}), 1), "sample 1"));
    CHECK(refusal("binary_crossentropy", column({0, 1, 0.5}), 1) == "accepted");
    CHECK(contains(refusal("binary_crossentropy", column({0, -1}), 1), "sample 2"));
    CHECK(contains(refusal("binary_crossentropy", column({nan}), 1), "sample 1"));
    CHECK(contains(refusal("categorical_crossentropy", column({0, 1, 2, 0}, 2), 2), "sample 2"));
    const char* sparse = "sparse_categorical_crossentropy";
    CHECK(refusal(sparse, column({0, 2, 1}), 3) == "accepted");
    for (const double bad : {3.0, -1.0, 0.5, nan})
        CHECK(contains(refusal(sparse, column({0, bad}), 3), "sample 2"));
    CHECK(contains(refusal(sparse, column({0, 1}, 2), 2), "takes 1"));
    CHECK(refusal("expectation", Table(2, 0), 1) == "accepted");
}

TEST_CASE("an unknown loss is refused with the nearest one", "[loss]") {
    try {
        Loss loss("mes");
        FAIL("accepted");
    } catch (const Error& error) {
        CHECK(error.kind() == Kind::usage);
        CHECK(contains(error.what(), "mse"));
    }
}
