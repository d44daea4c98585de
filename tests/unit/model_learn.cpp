/// Models' gradients against finite differences of their loss, for every layer, activation, loss.
#include "catch.hpp"
#include "laws.hpp"
#include "oracle.hpp"

#include "wavetrain/model/pass.hpp"

#include <cmath>

using namespace wavetrain;
using namespace wavetrain::test;

namespace {

LayerSpec dense(std::int64_t units, const std::string& activation = "linear",
                std::vector<std::string> inputs = {}) {
    LayerSpec spec;
    spec.type = "dense";
    spec.units = units;
    spec.activation = activation;
    spec.inputs = std::move(inputs);
    return spec;
}

LayerSpec quantum(const std::string& circuit, std::int64_t qubits,
                  std::vector<std::string> observables) {
    LayerSpec spec;
    spec.type = "quantum";
    spec.circuit = circuit;
    spec.options = {{"qubits", qubits}};
    spec.observables = std::move(observables);
    return spec;
}

LayerSpec named(LayerSpec spec, const std::string& name) {
    spec.name = name;
    return spec;
}

ModelOptions layers(std::vector<LayerSpec> specs) {
    ModelOptions options;
    options.kind = "layers";
    options.layers = std::move(specs);
    return options;
}

const std::vector<std::string> kColumns{"u", "v"};

Table features(std::size_t rows) {
    Dice dice(9);
    Table table(rows, kColumns.size());
    for (double& value : table.values) value = dice.number(-1, 1);
    return table;
}

double loss_of(Model& model, const Loss& loss, const Table& rows, const Table& labels,
               const std::vector<double>& parameters) {
    model.set_parameters(parameters);
    const Table outputs = model.forward(rows);
    double sum = 0;
    for (std::size_t r = 0; r < rows.rows; ++r) sum += loss.value(outputs.row(r), labels.row(r));
    return sum;
}

/// The sums of one batch, without other ranks: the gradient, then the loss.
ExactSums learned(const Model& model, const Loss& loss, const Table& rows, const Table& labels) {
    SoloComm alone;
    ExactSums sums(model.parameters() + 1, 0);
    const Tally tally =
        learn(model, loss, rows, labels, Workers{alone}, "a test", std::span(&sums, 1));
    CHECK(tally.samples == static_cast<std::int64_t>(rows.rows));
    return sums;
}

/// learn() against an eighth-order difference in every parameter; frozen ones give 0.
void check_model(const ModelOptions& options, const std::string& loss_name, const Table& labels,
                 const QuantumSettings& settings = {}) {
    Model model(options, kColumns, settings);
    const Loss loss(loss_name);
    const Table rows = features(labels.rows);
    std::vector<double> parameters = model.initial(7);
    Dice dice(8);
    for (double& p : parameters) p += dice.number(-0.3, 0.3); // biases too
    model.set_parameters(parameters);
    const ExactSums sums = learned(model, loss, rows, labels);
    REQUIRE(!sums.bad());
    CHECK(std::abs(sums.value(model.parameters()) -
                   loss_of(model, loss, rows, labels, parameters)) < 1e-12);
    const std::vector<bool> trainable = model.trainable();
    REQUIRE(trainable.size() == model.parameters());
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const double at = parameters[i];
        const double expected = derivative(
            [&](double x) {
                parameters[i] = x;
                return loss_of(model, loss, rows, labels, parameters);
            },
            at, 0.005);
        parameters[i] = at;
        INFO("parameter " << i << " of loss " << loss_name);
        CHECK(std::abs(sums.value(i) - (trainable[i] ? expected : 0.0)) < 1e-8);
        if (!trainable[i]) CHECK(sums.value(i) == 0.0);
    }
}

/// rows x width labels: `value(row, column)`.
template <class Value> Table labels_of(std::size_t rows, std::size_t width, Value value) {
    Table labels(rows, width);
    for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t c = 0; c < width; ++c) labels.row(r)[c] = value(r, c);
    return labels;
}

Table signs(std::size_t rows, std::size_t width) {
    return labels_of(rows, width,
                     [](std::size_t r, std::size_t c) { return (r + c) % 2 == 0 ? 1.0 : -1.0; });
}

LayerSpec embedding() {
    LayerSpec spec = quantum("angle_embedding", 2, {"Z0 + 0.5*X1", "Y0*Z1 + 0.25"});
    spec.data = {{"x", {"u", "v"}}};
    return spec;
}

} // namespace

TEST_CASE("every activation, under every loss that fits it", "[model]") {
    for (const char* activation : {"linear", "tanh", "relu", "sigmoid", "softmax"})
        for (const char* loss : {"mse", "mae", "hinge"})
            check_model(layers({dense(4, "tanh"), dense(3, activation)}), loss, signs(3, 3));
    const Table zeros_ones = labels_of(
        4, 2, [](std::size_t r, std::size_t c) { return static_cast<double>((r + c) % 2); });
    check_model(layers({dense(4, "tanh"), dense(2, "sigmoid")}), "binary_crossentropy", zeros_ones);
    const Table shares =
        labels_of(3, 3, [](std::size_t r, std::size_t c) { return r == c ? 0.5 : 0.25; });
    const Table classes =
        labels_of(4, 1, [](std::size_t r, std::size_t) { return static_cast<double>(r % 3); });
    for (const char* activation : {"softmax", "sigmoid"}) {
        check_model(layers({dense(4, "tanh"), dense(3, activation)}), "categorical_crossentropy",
                    shares);
        check_model(layers({dense(4, "tanh"), dense(3, activation)}),
                    "sparse_categorical_crossentropy", classes);
    }
    check_model(layers({dense(2, "tanh")}), "expectation", Table(3, 0));
}

TEST_CASE("a classical net drives a circuit", "[model]") {
    for (const Method method : kMethods) {
        LayerSpec driven = quantum("hardware_efficient", 2, {"Z0", "X0*Z1 - 0.5*Y1"});
        driven.inputs = {"dense"}; // three of its four inputs; the last one stays a weight
        QuantumSettings settings;
        settings.method = method;
        check_model(layers({dense(3, "tanh"), driven, dense(1)}), "mse", signs(3, 1), settings);
    }
}

TEST_CASE("circuits side by side, concatenated, with data and weights", "[model]") {
    LayerSpec first = quantum("strongly_entangling", 2, {"Z0", "Z1"});
    first.inputs = {"embed"};
    LayerSpec second = quantum("hardware_efficient", 2, {"Z1 + 0.3*X0"});
    second.inputs = {"net"};
    LayerSpec both;
    both.type = "concatenate";
    both.inputs = {"second", "first", "second"};
    check_model(layers({named(embedding(), "embed"), named(dense(2, "sigmoid", {"embed"}), "net"),
                        named(first, "first"), named(second, "second"), both, dense(2, "tanh")}),
                "mse", signs(4, 2));
}

TEST_CASE("frozen layers get no gradient, and let it through", "[model]") {
    for (int frozen = 0; frozen < 3; ++frozen) {
        LayerSpec circuit = quantum("hardware_efficient", 2, {"Z0", "X1"});
        circuit.inputs = {"dense"};
        std::vector<LayerSpec> specs{dense(2, "tanh"), circuit, dense(1)};
        specs[static_cast<std::size_t>(frozen)].trainable = false;
        check_model(layers(specs), "mse", signs(3, 1));
    }
    std::vector<LayerSpec> all{dense(2, "tanh"), dense(1)};
    for (LayerSpec& spec : all) spec.trainable = false;
    check_model(layers(all), "mse", signs(2, 1));
}

TEST_CASE("two layers that take one, and one that leads nowhere", "[model]") {
    check_model(layers({named(dense(2, "tanh"), "root"), named(dense(2, "tanh", {"root"}), "a"),
                        named(dense(3, "sigmoid", {"root"}), "dead"),
                        named(dense(2, "linear", {"root", "a", "root"}), "out")}),
                "mse", signs(3, 2));
}

TEST_CASE("the networks of the reference", "[model]") {
    for (const char* kind : {"qcnn", "qcnn_hybrid"})
        for (const char* variant : {"tutorial", "tfq-multiworker"})
            for (const Method method : {Method::adjoint, Method::parameter_shift}) {
                ModelOptions options;
                options.kind = kind;
                options.variant = variant;
                options.qubits = 2;
                options.filters = std::string(kind) == "qcnn" ? 1 : 2;
                Model probe(options, {"excitation_0", "excitation_1"}, {});
                QuantumSettings settings;
                settings.method = method;
                Model model(options, {"excitation_0", "excitation_1"}, settings);
                const Loss loss("mse");
                const Table rows = features(2);
                const Table labels = signs(2, 1);
                std::vector<double> parameters = model.initial(1);
                model.set_parameters(parameters);
                const ExactSums sums = learned(model, loss, rows, labels);
                for (std::size_t i = 0; i < parameters.size(); i += 3) {
                    const double at = parameters[i];
                    const double slope = derivative(
                        [&](double x) {
                            parameters[i] = x;
                            return loss_of(probe, loss, rows, labels, parameters);
                        },
                        at, 0.005);
                    parameters[i] = at;
                    CHECK(std::abs(sums.value(i) - slope) < 1e-8);
                }
            }
}

TEST_CASE("outputs and gradients agree in single precision", "[model]") {
    LayerSpec driven = quantum("hardware_efficient", 2, {"Z0", "X0*Z1 - 0.5*Y1"});
    driven.inputs = {"dense"};
    const ModelOptions options = layers({dense(3, "tanh"), driven, dense(1)});
    QuantumSettings settings;
    Model exact(options, kColumns, settings);
    settings.precision = Precision::single_precision;
    Model rough(options, kColumns, settings);
    const auto parameters = exact.initial(4);
    const Table rows = features(3);
    const Table labels = signs(3, 1);
    exact.set_parameters(parameters);
    rough.set_parameters(parameters);
    const ExactSums a = learned(exact, Loss("mse"), rows, labels);
    const ExactSums b = learned(rough, Loss("mse"), rows, labels);
    for (std::size_t i = 0; i <= exact.parameters(); ++i)
        CHECK(std::abs(a.value(i) - b.value(i)) < 1e-5);
}

TEST_CASE("a row's outputs do not depend on the rows beside it", "[model]") {
    LayerSpec driven = quantum("strongly_entangling", 2, {"Z0", "X1"});
    driven.inputs = {"embed"};
    Model model(layers({named(embedding(), "embed"), driven, dense(2, "softmax")}), kColumns, {});
    model.set_parameters(model.initial(2));
    const Table rows = features(5);
    const Table all = model.forward(rows);
    for (std::size_t r = 0; r < rows.rows; ++r) {
        Table one(1, rows.width);
        std::copy(rows.row(r).begin(), rows.row(r).end(), one.values.begin());
        const Table alone = model.forward(one);
        for (std::size_t c = 0; c < all.width; ++c) CHECK(alone.values[c] == all.row(r)[c]);
    }
}
