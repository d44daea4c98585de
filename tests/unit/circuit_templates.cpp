/// The templates against circuits written out here once more, from the text of the reference.
#include "catch.hpp"
#include "laws.hpp"
#include "oracle.hpp"

#include "wavetrain/circuit/templates.hpp"

#include <cmath>

using namespace wavetrain;
using namespace wavetrain::test;

namespace {

/// A plain list of gates with numbers: its own interpreter of the reference's sentences.
class Script {
public:
    Script(int qubits, std::vector<double> symbols, bool slip)
        : circuit_(circuit_on(qubits)), s_(std::move(symbols)), slip_(slip) {}

    /// H on all, CZ on (0,1), (1,2), ..., (n-1,0).
    void cluster() {
        const int n = circuit_.qubits;
        for (int i = 0; i < n; ++i) circuit_.add("h", {i});
        for (int i = 0; i < n - 1; ++i) circuit_.add("cz", {i, i + 1});
        circuit_.add("cz", {n - 1, 0});
    }

    void excite(const std::vector<double>& angles) {
        for (int i = 0; i < circuit_.qubits; ++i)
            if (const double angle = angles.at(static_cast<std::size_t>(i)); angle != 0)
                circuit_.add("rx", {i}, {angle});
    }

    /// The two-qubit unitary on (q0,q1), (q2,q3), ..., then on (q1,q2), (q3,q4), ...; the last odd
    /// one closes the ring to q0 only if their number is even.
    void convolve(const std::vector<int>& q, int level) {
        const std::size_t n = q.size();
        for (std::size_t i = 0; 2 * i + 1 < n; ++i) pair(q[2 * i], q[2 * i + 1], level);
        for (std::size_t i = 0; 2 * i + 2 < n; ++i) pair(q[2 * i + 1], q[2 * i + 2], level);
        if (n % 2 == 0) pair(q[n - 1], q[0], level);
    }

    /// The first half (rounded down) are sources, the others sinks. Returns the sinks.
    std::vector<int> pool(const std::vector<int>& q, int level) {
        const std::size_t half = q.size() / 2;
        for (std::size_t i = 0; i < half; ++i) {
            const int source = q[i];
            const int sink = q[half + i];
            powers(sink, {at(level, 15), at(level, 16), at(level, 17)});
            powers(source, {at(level, 18), at(level, 19), at(level, 20)});
            circuit_.add("cx", {source, sink});
            circuit_.add("zpow", {sink}, {-at(level, 17)});
            circuit_.add("ypow", {sink}, {-at(level, 16)});
            circuit_.add("xpow", {sink}, {-at(level, 15)});
        }
        return {q.begin() + static_cast<std::ptrdiff_t>(half), q.end()};
    }

    const Circuit& circuit() const { return circuit_; }

private:
    double at(int level, int i) const { return s_.at(static_cast<std::size_t>(21 * level + i)); }

    void powers(int q, const std::vector<double>& t) {
        circuit_.add("xpow", {q}, {t[0]});
        circuit_.add("ypow", {q}, {t[1]});
        circuit_.add("zpow", {q}, {t[2]});
    }

    void pair(int a, int b, int level) {
        powers(a, {at(level, 0), at(level, 1), at(level, 2)});
        powers(b, {at(level, 3), at(level, 4), at(level, 5)});
        circuit_.add("zzpow", {a, b}, {at(level, slip_ ? 7 : 6)});
        circuit_.add("yypow", {a, b}, {at(level, slip_ ? 8 : 7)});
        circuit_.add("xxpow", {a, b}, {at(level, slip_ ? 9 : 8)});
        powers(a, {at(level, 9), at(level, 10), at(level, 11)});
        powers(b, {at(level, 12), at(level, 13), at(level, 14)});
    }

    Circuit circuit_;
    std::vector<double> s_;
    bool slip_;
};

std::vector<int> range(int count) {
    std::vector<int> all;
    for (int i = 0; i < count; ++i) all.push_back(i);
    return all;
}

int levels_of(int qubits) {
    int levels = 0;
    for (; qubits > 1; qubits -= qubits / 2) ++levels;
    return levels;
}

/// Names of a network's symbols: the excitations, then each level's.
std::vector<std::string> names_of(int qubits, int levels, bool slip) {
    std::vector<std::string> names;
    for (int i = 0; i < qubits; ++i) names.push_back(format("excitation[{}]", i));
    for (int i = 0; i < 21 * levels; ++i)
        if (!(slip && i % 21 == 6)) names.push_back(format("qconv{}", i));
    return names;
}

double difference(const Circuit& a, std::span<const double> values, const Circuit& b) {
    return (circuit_state(a, values) - circuit_state(b)).cwiseAbs().maxCoeff();
}

} // namespace

TEST_CASE("the networks are the reference's, for any size and both variants", "[templates]") {
    for (int qubits = 2; qubits <= 9; ++qubits)
        for (const bool slip : {false, true})
            for (const bool whole : {false, true}) {
                INFO(qubits << " qubits, slip " << slip << ", whole network " << whole);
                const int levels = whole ? levels_of(qubits) : 1;
                const Circuit made = make_template(
                    whole ? "qcnn" : "qcnn_layer",
                    {{"qubits", std::int64_t{qubits}},
                     {"variant", std::string(slip ? "tfq-multiworker" : "tutorial")}});
                const auto names = names_of(qubits, levels, slip);
                REQUIRE(made.symbols == names);
                REQUIRE(made.qubits == qubits);
                Dice dice(static_cast<std::uint64_t>(qubits));
                const auto weights = random_values(dice, static_cast<std::size_t>(21 * levels));
                auto excitations = random_values(dice, static_cast<std::size_t>(qubits));
                excitations[0] = 0;
                std::vector<double> values = excitations;
                for (std::size_t i = 0; i < weights.size(); ++i)
                    if (!(slip && i % 21 == 6)) values.push_back(weights[i]);
                Script script(qubits, weights, slip);
                script.cluster();
                script.excite(excitations);
                std::vector<int> q = range(qubits);
                for (int level = 0; level < levels; ++level) {
                    script.convolve(q, level);
                    q = script.pool(q, level);
                }
                if (whole) CHECK(q == std::vector<int>{qubits - 1});
                CHECK(difference(made, values, script.circuit()) < 1e-12);
            }
}

TEST_CASE("the network of eight qubits has 63 weights, a layer 21 or 20", "[templates]") {
    const auto weights = [](const char* name, const char* variant) {
        return make_template(name, {{"variant", std::string(variant)}}).symbols.size() - 8;
    };
    CHECK(weights("qcnn", "tutorial") == 63);
    CHECK(weights("qcnn_layer", "tutorial") == 21);
    CHECK(weights("qcnn_layer", "tfq-multiworker") == 20);
}

TEST_CASE("the other templates are what their text says", "[templates]") {
    Dice dice(3);
    for (int n = 1; n <= 5; ++n) {
        const auto size = std::int64_t{n};
        if (n > 1) {
            Script script(n, {}, false);
            script.cluster();
            CHECK(difference(make_template("cluster_state", {{"qubits", size}}), {},
                             script.circuit()) < 1e-14);
        }
        for (const std::string gate : {"rx", "ry", "rz"}) {
            const auto x = random_values(dice, static_cast<std::size_t>(n));
            Circuit expected = circuit_on(n);
            for (int i = 0; i < n; ++i) expected.add(gate, {i}, {x[static_cast<std::size_t>(i)]});
            const Circuit made =
                make_template("angle_embedding", {{"qubits", size}, {"rotation", gate}});
            CHECK(made.find_input("x")->size == n);
            CHECK(difference(made, x, expected) < 1e-14);
        }
        const auto w = random_values(dice, static_cast<std::size_t>(3 * n * 3));
        Circuit efficient = circuit_on(n), entangling = circuit_on(n);
        std::size_t a = 0, b = 0;
        for (int layer = 0; layer < 3; ++layer) {
            for (int i = 0; i < n; ++i) {
                efficient.add("ry", {i}, {w[a++]});
                efficient.add("rz", {i}, {w[a++]});
                entangling.add("rz", {i}, {w[b++]});
                entangling.add("ry", {i}, {w[b++]});
                entangling.add("rz", {i}, {w[b++]});
            }
            for (int i = 0; i < n; ++i) {
                if (i + 1 < n || n > 2) efficient.add("cz", {i, (i + 1) % n});
                if (n > 1) entangling.add("cx", {i, (i + 1 + layer % (n - 1)) % n});
            }
        }
        const OptionMap options{{"qubits", size}, {"layers", std::int64_t{3}}};
        CHECK(difference(make_template("hardware_efficient", options), std::span(w).first(a),
                         efficient) < 1e-14);
        CHECK(difference(make_template("strongly_entangling", options), w, entangling) < 1e-14);
    }
}

TEST_CASE("every template has its defaults and refuses what it does not know", "[templates]") {
    for (const TemplateInfo& row : template_table()) {
        INFO(row.name);
        CHECK(make_template(row.name, {}).qubits == 8);
        CHECK_THROWS_AS(make_template(row.name, {{"qubits", std::int64_t{0}}}), Error);
        CHECK_THROWS_AS(make_template(row.name, {{"qubits", std::string("8")}}), Error);
        CHECK_THROWS_AS(make_template(row.name, {{"qbits", std::int64_t{8}}}), Error);
    }
    CHECK_THROWS_AS(make_template("qcn", {}), Error);
    CHECK_THROWS_AS(make_template("qcnn", {{"variant", std::string("other")}}), Error);
    CHECK_THROWS_AS(make_template("hardware_efficient", {{"layers", std::int64_t{0}}}), Error);
}
