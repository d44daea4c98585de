/// Building models: sizes, order of parameters, initial values, refusals.
#include "catch.hpp"
#include "contains.hpp"

#include "wavetrain/circuit/templates.hpp"
#include "wavetrain/model/model.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

using namespace wavetrain;

namespace {

constexpr double kPi = std::numbers::pi;

ModelOptions ready_made(const std::string& kind, std::int64_t qubits, std::int64_t filters = 1) {
    ModelOptions options;
    options.kind = kind;
    options.qubits = qubits;
    options.filters = filters;
    return options;
}

std::vector<std::string> columns(int qubits) {
    std::vector<std::string> names;
    for (int q = 0; q < qubits; ++q) names.push_back(format("excitation_{}", q));
    return names;
}

LayerSpec dense(std::int64_t units) {
    LayerSpec spec;
    spec.type = "dense";
    spec.units = units;
    spec.place = {"model.toml", 3, 1};
    return spec;
}

LayerSpec quantum() {
    LayerSpec spec;
    spec.type = "quantum";
    spec.circuit = "angle_embedding";
    spec.options = {{"qubits", std::int64_t{2}}};
    spec.data = {{"x", {"u", "v"}}};
    spec.observables = {"Z0", "Z1"};
    spec.place = {"model.toml", 7, 1};
    return spec;
}

std::string refusal(const ModelOptions& options, const std::vector<std::string>& names) {
    try {
        Model model(options, names, {});
    } catch (const Error& error) {
        CHECK(error.kind() == Kind::usage);
        return error.what();
    }
    return "accepted";
}

std::string refusal(std::vector<LayerSpec> layers) {
    ModelOptions options;
    options.kind = "layers";
    options.layers = std::move(layers);
    return refusal(options, {"u", "v"});
}

template <class Change> LayerSpec changed(LayerSpec spec, Change change) {
    change(spec);
    return spec;
}

} // namespace

TEST_CASE("the models of the reference have its sizes", "[model]") {
    CHECK(Model(ready_made("qcnn", 8), columns(8), {}).parameters() == 63);
    // 21 + (4 x 8 + 8) + (8 + 1).
    CHECK(Model(ready_made("qcnn_hybrid", 8), columns(8), {}).parameters() == 70);
    // Three circuits, twelve readouts: 63 + (12 x 8 + 8) + 9.
    const Model three(ready_made("qcnn_hybrid", 8, 3), columns(8), {});
    CHECK(three.parameters() == 176);
    CHECK(three.outputs() == 1);
    CHECK(three.layers().size() == 6);
    CHECK(three.layers()[3]->type() == "concatenate");
    CHECK(three.layers()[3]->width() == 12);
    CHECK(three.plans().size() == 3);
    // Readouts in ascending order of the sinks.
    const auto& observables = three.plans()[0]->observables;
    REQUIRE(observables.size() == 4);
    for (int i = 0; i < 4; ++i)
        CHECK(pauli_text(observables[static_cast<std::size_t>(i)]) == format("Z{}", 4 + i));
    const Model whole(ready_made("qcnn", 5), columns(5), {});
    CHECK(pauli_text(whole.plans()[0]->observables.at(0)) == "Z4");
    CHECK(whole.parameters() == 63); // 5 -> 3 -> 2 -> 1
}

TEST_CASE("offsets and names follow the layers", "[model]") {
    const Model model(ready_made("qcnn_hybrid", 4, 2), columns(4), {});
    std::size_t expected = 0;
    for (std::size_t i = 0; i < model.layers().size(); ++i) {
        CHECK(model.offset(i) == expected);
        expected += model.layers()[i]->parameters();
        CHECK(model.layers()[i]->parameter_names().size() == model.layers()[i]->parameters());
    }
    CHECK(model.parameters() == expected);
    // Keras sorts symbols as text: qconv10 before qconv2.
    const auto array = model.layers()[0]->arrays().at(0);
    const auto names = model.layers()[0]->parameter_names();
    REQUIRE(array.order.size() == 21);
    for (std::size_t i = 0; i + 1 < 21; ++i)
        CHECK(names[array.order[i]] < names[array.order[i + 1]]);
    CHECK(names[array.order[2]] == "qconv10");
}

TEST_CASE("columns are bound by name, whatever their order", "[model]") {
    const auto options = ready_made("qcnn_hybrid", 3);
    Model straight(options, columns(3), {});
    Model mixed(options, {"excitation_2", "other", "excitation_0", "excitation_1"}, {});
    straight.set_parameters(straight.initial(1));
    mixed.set_parameters(mixed.initial(1));
    Table a(1, 3), b(1, 4);
    a.values = {0.1, 0.2, 0.3};
    b.values = {0.3, 99.0, 0.1, 0.2};
    CHECK(straight.forward(a).values == mixed.forward(b).values);
}

TEST_CASE("initial values: uniform in [0, 2 pi), Glorot, normal, zeros", "[model]") {
    const Model model(ready_made("qcnn_hybrid", 8, 3), columns(8), {});
    const auto values = model.initial(5);
    CHECK(values == model.initial(5));
    CHECK(values != model.initial(6));
    const auto [low, high] = std::minmax_element(values.begin(), values.begin() + 63);
    CHECK(*low >= 0.0);
    CHECK(*high < 2 * kPi);
    CHECK(*high > 5.0);
    // Layers have numbers of their own.
    CHECK(!std::equal(values.begin(), values.begin() + 21, values.begin() + 21));
    const double limit = std::sqrt(6.0 / (12 + 8));
    double largest = 0;
    for (std::size_t i = 63; i < 63 + 96; ++i) largest = std::max(largest, std::abs(values[i]));
    CHECK(largest <= limit);
    CHECK(largest > 0.8 * limit);
    for (std::size_t i = 63 + 96; i < 63 + 104; ++i) CHECK(values[i] == 0.0);
    CHECK(values.back() == 0.0);
    for (const char* initializer : {"zeros", "normal"}) {
        ModelOptions options;
        options.kind = "layers";
        options.layers = {changed(dense(40), [&](LayerSpec& s) { s.initializer = initializer; }),
                          changed(dense(40), [&](LayerSpec& s) { s.initializer = initializer; })};
        const auto drawn = Model(options, {"u"}, {}).initial(1);
        double sum = 0, square = 0;
        for (std::size_t i = 80; i < 80 + 1600; ++i) {
            sum += drawn[i];
            square += drawn[i] * drawn[i];
        }
        const double deviation = std::sqrt(square / 1600);
        CHECK(std::abs(sum / 1600) < 0.01);
        CHECK(std::abs(deviation - (std::string(initializer) == "zeros" ? 0.0 : 0.05)) < 0.005);
    }
}

TEST_CASE("models that cannot be are refused, with place and nearest name", "[model]") {
    CHECK(contains(refusal(ready_made("", 8), columns(8)), "model.kind"));
    CHECK(contains(refusal(ready_made("qcnn_hybird", 8), columns(8)), "qcnn_hybrid"));
    CHECK(contains(refusal(ready_made("qcnn", 1), columns(1)), "at least 2"));
    CHECK(contains(refusal(ready_made("qcnn", 4, 2), columns(4)), "filters"));
    auto variant = ready_made("qcnn", 4);
    variant.variant = "tutorail";
    CHECK(contains(refusal(variant, columns(4)), "variant"));
    CHECK(contains(refusal(ready_made("qcnn", 4), columns(3)), "excitation_3"));
    CHECK(contains(refusal(std::vector<LayerSpec>{}), "empty"));
}

TEST_CASE("layers that cannot be are refused, with place and nearest name", "[model]") {
    const auto with = [](auto change) { return refusal({changed(quantum(), change)}); };
    CHECK(refusal({quantum(), dense(2)}) == "accepted");
    CHECK(contains(with([](LayerSpec& s) { s.type = "quantun"; }), "quantum"));
    CHECK(contains(with([](LayerSpec& s) { s.circuit = "angle_embeding"; }), "angle_embedding"));
    CHECK(contains(with([](LayerSpec& s) { s.circuit.clear(); }), "needs a circuit"));
    CHECK(contains(with([](LayerSpec& s) { s.options["qbits"] = std::int64_t{2}; }), "qubits"));
    CHECK(contains(with([](LayerSpec& s) { s.observables.clear(); }), "observables"));
    CHECK(contains(with([](LayerSpec& s) { s.observables = {"Z0*"}; }), "model.toml:7:1"));
    CHECK(contains(with([](LayerSpec& s) { s.observables = {"Z2"}; }), "qubit 2"));
    CHECK(contains(with([](LayerSpec& s) { s.data = {{"y", {"u", "v"}}}; }), "no input 'y'"));
    CHECK(contains(with([](LayerSpec& s) { s.data = {{"x", {"u"}}}; }), "'u_0'"));
    CHECK(contains(with([](LayerSpec& s) { s.data = {{"x", {"u", "w"}}}; }), "'w'"));
    CHECK(contains(with([](LayerSpec& s) { s.data = {{"x", {"u", "v", "u"}}}; }), "2 columns"));
    CHECK(contains(with([](LayerSpec& s) { s.initializer = "zeross"; }), "zeros"));
    CHECK(contains(with([](LayerSpec& s) { s.inputs = {"nobody"}; }), "nobody"));
    CHECK(contains(
        refusal({quantum(), changed(quantum(), [](LayerSpec& s) { s.inputs = {"quantum"}; })}),
        "not bound"));
    CHECK(contains(refusal({dense(0)}), "units"));
    CHECK(contains(refusal({dense(0)}), "model.toml:3:1"));
    CHECK(
        contains(refusal({changed(dense(1), [](LayerSpec& s) { s.activation = "tan"; })}), "tanh"));
    CHECK(contains(refusal({changed(dense(1), [](LayerSpec& s) { s.initializer = "zero"; })}),
                   "zeros"));
    CHECK(contains(refusal({changed(dense(1), [](LayerSpec& s) { s.inputs = {"dense"}; })}),
                   "stands before"));
    CHECK(contains(refusal({changed(dense(1), [](LayerSpec& s) { s.type = "concatenate"; })}),
                   "needs inputs"));
    CHECK(contains(refusal({changed(dense(1), [](LayerSpec& s) { s.name = "a"; }),
                            changed(dense(1), [](LayerSpec& s) { s.name = "a"; })}),
                   "called 'a'"));
}

TEST_CASE("an array may be bound to columns of one prefix", "[model]") {
    ModelOptions options;
    options.kind = "layers";
    options.layers = {changed(quantum(), [](LayerSpec& s) { s.data = {{"x", {"c"}}}; })};
    Model model(options, {"c_1", "c_0"}, {});
    model.set_parameters({});
    Table rows(1, 2);
    rows.values = {0.4, 0.9};
    const Table outputs = model.forward(rows);
    CHECK(std::abs(outputs.values[0] - std::cos(0.9)) < 1e-14);
    CHECK(std::abs(outputs.values[1] - std::cos(0.4)) < 1e-14);
}
