/// Units of work: which samples are one execution, how work is cut and shared out, shift groups.
#include "catch.hpp"
#include "laws.hpp"

#include "wavetrain/circuit/templates.hpp"
#include "wavetrain/model/model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

using namespace wavetrain;
using namespace wavetrain::test;

namespace {

Table table_of(std::size_t width, std::vector<double> values) {
    Table table;
    table.rows = values.size() / width;
    table.width = width;
    table.values = std::move(values);
    return table;
}

std::vector<double> loads(std::span<const double> costs, std::span<const int> owners, int ranks) {
    std::vector<double> load(static_cast<std::size_t>(ranks), 0.0);
    for (std::size_t u = 0; u < costs.size(); ++u)
        load[static_cast<std::size_t>(owners[u])] += costs[u];
    return load;
}

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

LayerSpec layer(const std::string& type, const std::string& name,
                std::vector<std::string> inputs = {}) {
    LayerSpec spec;
    spec.type = type;
    spec.name = name;
    spec.inputs = std::move(inputs);
    if (type == "dense") spec.units = 2;
    if (type == "quantum") {
        spec.circuit = "hardware_efficient";
        spec.options = {{"qubits", std::int64_t{2}}};
        spec.observables = {"Z0", "Z1"};
    }
    return spec;
}

std::vector<std::vector<std::size_t>> stages_of(std::vector<LayerSpec> layers) {
    ModelOptions options;
    options.kind = "layers";
    options.layers = std::move(layers);
    const Model model(options, {"u", "v"}, {});
    std::vector<std::vector<std::size_t>> stages;
    for (const Stage& stage : model.stages()) stages.push_back(stage.layers);
    return stages;
}

} // namespace

TEST_CASE("samples with the same bits are one execution, in order of first occurrence", "[units]") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const Table keys = table_of(2, {1, 2, 3, 4, 1, 2, 1, std::nextafter(2.0, 3.0), 3, 4, 0.0, nan,
                                    -0.0, nan, 0.0, nan, 1, 2});
    const Executions merged = merged_executions(keys);
    CHECK(merged.samples == std::vector<std::size_t>{0, 1, 3, 5, 6});
    CHECK(merged.of == std::vector<std::size_t>{0, 1, 0, 2, 1, 3, 4, 3, 0});
    // Samples that nothing tells apart, and no samples.
    CHECK(merged_executions(Table(4, 0)).samples == std::vector<std::size_t>{0});
    CHECK(merged_executions(Table(0, 3)).samples.empty());
    const Executions apart = separate_executions(3);
    CHECK(apart.samples == std::vector<std::size_t>{0, 1, 2});
    CHECK(apart.of == apart.samples);
}

TEST_CASE("merging many samples", "[units]") {
    Dice dice(3);
    Table keys(5000, 3);
    for (double& value : keys.values) value = dice.below(9);
    const Executions merged = merged_executions(keys);
    CHECK(merged.samples.size() == 9 * 9 * 9);
    CHECK(std::is_sorted(merged.samples.begin(), merged.samples.end()));
    bool same = true;
    for (std::size_t r = 0; r < keys.rows; ++r) {
        const std::size_t first = merged.samples[merged.of[r]];
        const auto a = keys.row(r);
        same = same && first <= r && std::equal(a.begin(), a.end(), keys.row(first).begin());
    }
    CHECK(same);
}

TEST_CASE("a cone merges samples that differ only outside it", "[units]") {
    constexpr int kQubits = 16;
    QuantumSettings settings;
    settings.compile.light_cones = "on";
    const Model model(hybrid(kQubits), excitation_columns(kQubits), settings);
    const Quantum& quantum = model.quantum(0);
    // One qubit is excited in each sample.
    Table features(kQubits, kQubits);
    for (std::size_t r = 0; r < features.rows; ++r) features.row(r)[r] = 0.5;
    REQUIRE(quantum.plan().cones.size() > 1);
    for (std::size_t c = 0; c < quantum.plan().cones.size(); ++c) {
        const std::size_t seen = quantum.uses()[c].data.size();
        REQUIRE(seen > 0);
        REQUIRE(seen < kQubits);
        // Those that excite a qubit that the cone sees, and all others together.
        const Executions executions = quantum.executions(c, features, Table(features.rows, 0));
        CHECK(executions.samples.size() == seen + 1);
    }
    settings.deduplicate = false;
    const Model plain(hybrid(kQubits), excitation_columns(kQubits), settings);
    CHECK(plain.quantum(0).executions(0, features, Table(features.rows, 0)).samples.size() ==
          features.rows);
}

TEST_CASE("micro-batches", "[units]") {
    CHECK(micro_batches(0, 8).empty());
    CHECK(micro_batches(8, 8) == std::vector<Range>{{0, 8}});
    CHECK(micro_batches(17, 8) == std::vector<Range>{{0, 8}, {8, 16}, {16, 17}});
}

TEST_CASE("units are shared out evenly", "[units]") {
    const std::vector<double> costs{1, 1, 6, 1, 3, 1, 1, 4};
    CHECK(share_out(costs, 1) == std::vector<int>(costs.size(), 0));
    for (int ranks : {2, 3, 5, 20}) {
        const std::vector<int> owners = share_out(costs, ranks);
        CHECK(owners == share_out(costs, ranks));
        const auto load = loads(costs, owners, ranks);
        const double fair = std::max(6.0, std::ceil(18.0 / ranks));
        CHECK(*std::max_element(load.begin(), load.end()) <= fair);
    }
    CHECK(share_out({}, 3).empty());
    // No rank is left without work while another has two units.
    const std::vector<int> one_each = share_out(std::vector<double>(7, 2.0), 7);
    CHECK(std::accumulate(one_each.begin(), one_each.end(), 0) == 21);
}

TEST_CASE("stages: circuits that take nothing from each other run at once", "[units]") {
    using Stages = std::vector<std::vector<std::size_t>>;
    LayerSpec both = layer("concatenate", "both", {"a", "b", "c"});
    CHECK(stages_of({layer("quantum", "a"), layer("quantum", "b"), layer("quantum", "c"), both,
                     layer("dense", "out")}) == Stages{{0, 1, 2}, {3}, {4}});
    CHECK(stages_of({layer("quantum", "a"), layer("quantum", "b", {"a"}), layer("quantum", "c")}) ==
          Stages{{0}, {1, 2}});
    CHECK(stages_of({layer("dense", "net"), layer("quantum", "a", {"net"}),
                     layer("quantum", "b", {"net"})}) == Stages{{0}, {1, 2}});
}

TEST_CASE("shift groups: every shifted block once, at about equal cost", "[units]") {
    Dice dice(11);
    for (const int qubits : {2, 4, 6}) {
        const Circuit circuit =
            make_template("hardware_efficient", {{"qubits", std::int64_t{qubits}}}, {});
        const std::vector<bool> varying(circuit.symbols.size(), false);
        const Plan plan = compile(circuit, {parse_pauli_sum("Z0 + 0.5*X1")}, varying, {});
        for (const Cone& cone : plan.cones) {
            std::vector<bool> wanted(circuit.symbols.size(), true);
            const auto groups = shift_groups(plan, cone, wanted);
            REQUIRE(!groups.empty());
            CHECK(groups.size() <= 16);
            CHECK(groups == shift_groups(plan, cone, wanted));
            for (std::size_t g = 0; g < groups.size(); ++g) {
                CHECK(groups[g].first < groups[g].last);
                if (g > 0) CHECK(groups[g - 1].last <= groups[g].first);
            }
            CHECK(groups.back().last <= cone.blocks.size());
            // Their gradients add up to the whole.
            const auto symbols = random_values(dice, circuit.symbols.size());
            const BoundCone bound(plan, cone, symbols);
            const GradientJob whole{plan, cone, bound, {symbols}, {{1.0}}, wanted};
            const auto expected =
                differentiate(Method::parameter_shift, whole, Precision::double_precision).shared;
            std::vector<double> sum(expected.size(), 0.0);
            for (const BlockRange& range : groups) {
                GradientJob part = whole;
                part.shifted = range;
                const auto values =
                    differentiate(Method::parameter_shift, part, Precision::double_precision)
                        .shared;
                for (std::size_t s = 0; s < sum.size(); ++s) sum[s] += values[s];
            }
            for (std::size_t s = 0; s < sum.size(); ++s)
                CHECK(std::abs(sum[s] - expected[s]) < 1e-13);
            wanted.assign(wanted.size(), false);
            CHECK(shift_groups(plan, cone, wanted).empty());
        }
    }
}
