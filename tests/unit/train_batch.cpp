/// Steps, evaluation and prediction: the same bits for any number of ranks and threads.
#include "catch.hpp"
#include "contains.hpp"
#include "laws.hpp"

#include "wavetrain/comm/threads.hpp"
#include "wavetrain/train/batch.hpp"

#include <cmath>
#include <mutex>
#include <numeric>

using namespace wavetrain;
using namespace wavetrain::test;

namespace {

ModelOptions hybrid(std::int64_t qubits) {
    ModelOptions options;
    options.kind = "qcnn_hybrid";
    options.qubits = qubits;
    return options;
}

std::vector<std::string> excitation_columns(int qubits) {
    std::vector<std::string> columns;
    for (int q = 0; q < qubits; ++q) columns.push_back(format("excitation_{}", q));
    return columns;
}

/// RY(k x + w) by a dense layer that drives an embedding; out comes <Z>.
ModelOptions driven_rotation() {
    ModelOptions options;
    options.kind = "layers";
    LayerSpec dense;
    dense.type = "dense";
    dense.units = 1;
    LayerSpec circuit;
    circuit.type = "quantum";
    circuit.circuit = "angle_embedding";
    circuit.options = {{"qubits", std::int64_t{1}}, {"rotation", std::string("ry")}};
    circuit.inputs = {"dense"};
    circuit.observables = {"Z0"};
    options.layers = {dense, circuit};
    return options;
}

Samples excitation_samples(int qubits, std::size_t count) {
    Dice dice(5);
    Samples samples{Table(count, static_cast<std::size_t>(qubits)), Table(count, 1)};
    for (std::size_t r = 0; r < count; ++r) {
        samples.features.row(r)[r % samples.features.width] = dice.number(-3, 3);
        samples.labels.row(r)[0] = dice.below(2) == 0 ? 1.0 : -1.0;
    }
    return samples;
}

std::vector<std::size_t> every_id(std::size_t count) {
    std::vector<std::size_t> ids(count);
    std::iota(ids.begin(), ids.end(), std::size_t{0});
    return ids;
}

/// Everything that a number of ranks and threads gives, from all ranks.
struct Outcome {
    StepResult step;
    Evaluation evaluation;
    Table predictions;
};

Outcome outcome(const Model& model, const Loss& loss, const Samples& samples,
                std::span<const std::size_t> ids, int ranks, int threads, std::size_t micro_batch) {
    std::vector<Outcome> all(static_cast<std::size_t>(ranks));
    run_ranks(ranks, [&](Comm& comm) {
        const Workers workers{comm, threads, micro_batch};
        Outcome& mine = all[static_cast<std::size_t>(comm.rank())];
        mine.step = learn_batch(model, loss, samples, ids, workers, "a step", {});
        mine.evaluation = evaluate_samples(model, loss, samples, workers, "a test");
        mine.predictions = predict_samples(model, samples, workers);
    });
    for (const Outcome& other : all) {
        CHECK(other.step.gradient == all[0].step.gradient);
        CHECK(other.predictions.values == all[0].predictions.values);
        CHECK(other.evaluation.loss == all[0].evaluation.loss);
    }
    return all[0];
}

} // namespace

TEST_CASE("B50: the same bits for any ranks and threads", "[batch]") {
    Model model(hybrid(4), excitation_columns(4), {});
    model.set_parameters(model.initial(3));
    const Loss loss("mse");
    const Samples samples = excitation_samples(4, 21);
    // In an order of its own, and fewer than there are.
    std::vector<std::size_t> ids{20, 3, 7, 0, 19, 11, 12, 5, 6, 1, 2, 17, 16};
    for (const std::size_t micro_batch : {2, 8}) {
        const Outcome one = outcome(model, loss, samples, ids, 1, 1, micro_batch);
        CHECK(one.step.samples == 13);
        CHECK(one.evaluation.samples == 21);
        CHECK(one.predictions.rows == 21);
        for (const int ranks : {1, 2, 3, 5, 8})
            for (const int threads : {1, 2, 4}) {
                INFO(ranks << " ranks, " << threads << " threads, units of " << micro_batch);
                const Outcome many =
                    outcome(model, loss, samples, ids, ranks, threads, micro_batch);
                CHECK(many.step.gradient == one.step.gradient);
                CHECK(many.step.loss_sum == one.step.loss_sum);
                CHECK(many.step.correct == one.step.correct);
                CHECK(many.step.samples == one.step.samples);
                CHECK(many.evaluation.loss == one.evaluation.loss);
                CHECK(many.evaluation.accuracy == one.evaluation.accuracy);
                CHECK(many.predictions.values == one.predictions.values);
            }
    }
}

TEST_CASE("merged executions give what separate ones give", "[batch]") {
    Samples samples = excitation_samples(4, 21);
    for (double& value : samples.features.values) value = std::round(value); // many are the same
    for (const std::int64_t filters : {1, 3}) {
        ModelOptions options = hybrid(4);
        options.filters = filters;
        QuantumSettings apart;
        apart.deduplicate = false;
        for (const Method method : kMethods) {
            QuantumSettings merged;
            merged.method = apart.method = method;
            Model a(options, excitation_columns(4), merged);
            Model b(options, excitation_columns(4), apart);
            a.set_parameters(a.initial(3));
            b.set_parameters(a.initial(3));
            const Outcome one = outcome(a, Loss("mse"), samples, every_id(21), 2, 2, 4);
            const Outcome two = outcome(b, Loss("mse"), samples, every_id(21), 3, 1, 4);
            CHECK(one.predictions.values == two.predictions.values);
            CHECK(one.step.loss_sum == two.step.loss_sum);
            CHECK(one.step.correct == two.step.correct);
            CHECK(one.step.gradient != two.step.gradient); // other sums, so other rounding
            for (std::size_t i = 0; i < a.parameters(); ++i)
                CHECK(std::abs(one.step.gradient[i] - two.step.gradient[i]) < 1e-9);
        }
    }
}

TEST_CASE("one sample by parameter shift, many ranks", "[batch]") {
    QuantumSettings settings;
    settings.method = Method::parameter_shift;
    Model model(hybrid(4), excitation_columns(4), settings);
    model.set_parameters(model.initial(3));
    const Samples samples = excitation_samples(4, 1);
    const Outcome one = outcome(model, Loss("mse"), samples, every_id(1), 1, 1, 8);
    for (const int ranks : {2, 5, 8}) {
        const Outcome many = outcome(model, Loss("mse"), samples, every_id(1), ranks, 2, 8);
        CHECK(many.step.gradient == one.step.gradient);
        CHECK(many.step.loss_sum == one.step.loss_sum);
    }
    Model adjoint(hybrid(4), excitation_columns(4), {});
    adjoint.set_parameters(model.initial(3));
    const Outcome other = outcome(adjoint, Loss("mse"), samples, every_id(1), 2, 1, 8);
    for (std::size_t i = 0; i < model.parameters(); ++i)
        CHECK(std::abs(other.step.gradient[i] - one.step.gradient[i]) < 1e-12);
}

TEST_CASE("a net that drives circuits: the same bits for any ranks and threads", "[batch]") {
    for (const Method method : kMethods) {
        ModelOptions options = driven_rotation();
        options.layers[0].units = 3;
        options.layers[0].activation = "tanh";
        options.layers[1].circuit = "hardware_efficient"; // its other inputs are weights
        options.layers[1].options = {{"qubits", std::int64_t{2}}};
        options.layers[1].observables = {"Z0", "X0*Z1", "Y1"};
        QuantumSettings settings;
        settings.method = method;
        Model model(options, {"x"}, settings);
        model.set_parameters(model.initial(3));
        Samples samples{Table(7, 1), Table(7, 0)};
        samples.features.values = {0.1, 0.2, 0.1, 0.4, 2.0, 0.1, -1.0};
        const Loss loss("expectation");
        const Outcome one = outcome(model, loss, samples, every_id(7), 1, 1, 2);
        // Three samples are the same, but each needs its own derivatives.
        settings.deduplicate = false;
        Model apart(options, {"x"}, settings);
        apart.set_parameters(apart.initial(3));
        CHECK(outcome(apart, loss, samples, every_id(7), 1, 1, 2).step.gradient ==
              one.step.gradient);
        for (const int ranks : {2, 3, 7})
            for (const int threads : {1, 3}) {
                const Outcome many = outcome(model, loss, samples, every_id(7), ranks, threads, 2);
                CHECK(many.step.gradient == one.step.gradient);
                CHECK(many.step.loss_sum == one.step.loss_sum);
            }
    }
}

TEST_CASE("a circuit that fails on one rank fails on all, with its message", "[batch]") {
    // The root of a negative number, in one sample alone.
    ModelOptions options;
    options.kind = "layers";
    LayerSpec spec;
    spec.type = "quantum";
    spec.file = "bad.qasm";
    spec.source = "OPENQASM 3;\ninclude \"stdgates.inc\";\ninput float datum;\ninput float w;\n"
                  "qubit[1] q;\nrx(w * sqrt(1 - datum)) q[0];\n";
    spec.data = {{"datum", {"x"}}};
    spec.observables = {"Z0"};
    options.layers = {spec};
    Model model(options, {"x"}, {});
    model.set_parameters(std::vector<double>{0.5});
    Samples samples{Table(4, 1), Table(4, 0)};
    samples.features.values = {0.1, 0.2, 2.0, 0.3};
    for (const int ranks : {1, 3}) {
        std::mutex guard;
        int refused = 0;
        run_ranks(ranks, [&](Comm& comm) {
            try {
                const auto ids = every_id(4);
                learn_batch(model, Loss("expectation"), samples, ids, {comm, 2, 1}, "step 7", {});
            } catch (const Error& error) {
                const std::lock_guard lock(guard);
                ++refused;
                CHECK(error.kind() == Kind::numeric);
                CHECK(error.everywhere());
                CHECK(contains(error.what(), "bad.qasm:6"));
                if (ranks > 1) CHECK(contains(error.what(), "step 7"));
            }
        });
        CHECK(refused == ranks);
    }
}

TEST_CASE("evaluation and prediction are the model's own", "[batch]") {
    Model model(hybrid(4), excitation_columns(4), {});
    model.set_parameters(model.initial(3));
    const Loss loss("mse");
    const Samples samples = excitation_samples(4, 11);
    const Outcome three = outcome(model, loss, samples, every_id(11), 3, 2, 2);
    const Table outputs = model.forward(samples.features);
    CHECK(three.predictions.values == outputs.values);
    double sum = 0;
    std::int64_t right = 0;
    for (std::size_t r = 0; r < 11; ++r) {
        const double y = outputs.row(r)[0];
        const double t = samples.labels.row(r)[0];
        sum += (y - t) * (y - t);
        right += (y >= 0) == (t > 0) ? 1 : 0;
    }
    CHECK(std::abs(three.evaluation.loss - sum / 11) < 1e-15);
    CHECK(three.evaluation.accuracy == static_cast<double>(right) / 11);
    CHECK(std::abs(three.step.loss_sum - sum) < 1e-14);
    CHECK(three.step.correct == right);
}

TEST_CASE("B90: samples weigh the same on every rank", "[batch]") {
    Model model(driven_rotation(), {"x"}, {});
    // The layer's kernel is 1, its bias the shift w = 0.
    REQUIRE(model.parameters() == 2);
    model.set_parameters(std::vector<double>{1.0, 0.0});
    Samples samples{Table(5, 1), Table(5, 0)};
    samples.features.values = {0.1, 0.2, 0.3, 0.4, 2.0};
    const Loss loss("expectation");
    double kernel = 0;
    for (const double x : samples.features.values) kernel -= x * std::sin(x) / 5;
    for (const int ranks : {1, 2, 3, 4, 5, 8})
        for (const std::size_t micro_batch : {1, 2, 3, 8}) {
            const Outcome result =
                outcome(model, loss, samples, every_id(5), ranks, 1, micro_batch);
            INFO(ranks << " ranks, units of " << micro_batch);
            CHECK(std::abs(result.step.gradient[1] + 0.3785477448) < 1e-9);
            CHECK(std::abs(result.step.gradient[0] - kernel) < 1e-12);
            CHECK(!result.evaluation.accuracy.has_value());
        }
}

TEST_CASE("B92: fewer samples than ranks, and none", "[batch]") {
    Model model(hybrid(3), excitation_columns(3), {});
    model.set_parameters(model.initial(3));
    const Loss loss("mse");
    const Samples two = excitation_samples(3, 2);
    const Outcome alone = outcome(model, loss, two, every_id(2), 1, 1, 8);
    const Outcome four = outcome(model, loss, two, every_id(2), 4, 2, 8);
    CHECK(four.step.gradient == alone.step.gradient);
    CHECK(four.step.loss_sum == alone.step.loss_sum);
    CHECK(four.evaluation.loss == alone.evaluation.loss);
    CHECK(four.predictions.values == alone.predictions.values);
    const Samples none = excitation_samples(3, 0);
    run_ranks(2, [&](Comm& comm) {
        const Workers workers{comm, 1, 8};
        CHECK(evaluate_samples(model, loss, none, workers, "a test").samples == 0);
        CHECK(predict_samples(model, none, workers).rows == 0);
        // A step over nothing has no mean: an error, not a NaN.
        CHECK_THROWS_AS(learn_batch(model, loss, none, {}, workers, "a step", {}), Error);
    });
}

TEST_CASE("a step says so if one rank was asked to stop", "[batch]") {
    Model model(hybrid(2), excitation_columns(2), {});
    model.set_parameters(model.initial(3));
    const Samples samples = excitation_samples(2, 4);
    for (const int who : {-1, 0, 2})
        run_ranks(3, [&](Comm& comm) {
            const auto ids = every_id(4);
            const auto result = learn_batch(model, Loss("mse"), samples, ids, {comm, 1, 1},
                                            "a step", {.stop = comm.rank() == who});
            CHECK(result.stop == (who >= 0));
            CHECK_FALSE(result.checkpoint);
            CHECK_FALSE(result.user_signal);
        });
}

TEST_CASE("what is not finite ends every rank and names the one", "[batch]") {
    Model model(hybrid(2), excitation_columns(2), {});
    model.set_parameters(model.initial(3));
    const Samples samples = excitation_samples(2, 6);
    std::mutex guard;
    int refused = 0;
    run_ranks(3, [&](Comm& comm) {
        try {
            const auto ids = every_id(6);
            learn_batch(model, Loss("mse"), samples, ids, {comm, 2, 1}, "epoch 1, step 2",
                        {.spoil = comm.rank() == 2});
        } catch (const Error& error) {
            const std::lock_guard lock(guard);
            ++refused;
            CHECK(error.kind() == Kind::numeric);
            CHECK(error.everywhere());
            CHECK(contains(error.what(), "epoch 1, step 2"));
            CHECK(contains(error.what(), "rank 2"));
        }
    });
    CHECK(refused == 3);
    auto parameters = model.initial(3);
    parameters.back() = std::nan("");
    model.set_parameters(parameters);
    run_ranks(2, [&](Comm& comm) {
        CHECK_THROWS_AS(evaluate_samples(model, Loss("mse"), samples, {comm, 1, 2}, "a test"),
                        Error);
    });
}

TEST_CASE("samples are taken by column name, in the model's order", "[batch]") {
    Dataset data;
    data.columns = {"b", "idle", "a"};
    data.features = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    data.samples = 3;
    data.label_width = 1;
    data.labels = {10, 20, 30};
    const Samples samples = take_samples(data, {"a", "b"}, 1, 2, "data.csv");
    CHECK(samples.features.values == std::vector<double>{6, 4, 9, 7});
    CHECK(samples.labels.values == std::vector<double>{20, 30});
    try {
        take_samples(data, {"c"}, 0, 1, "data.csv");
        FAIL("accepted");
    } catch (const Error& error) {
        CHECK(error.kind() == Kind::usage);
        CHECK(contains(error.what(), "data.csv: the column 'c'"));
    }
}
