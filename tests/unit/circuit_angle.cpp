/// Angles: gradients, text, substitution, on random expressions.
#include "catch.hpp"
#include "oracle.hpp"

#include "wavetrain/base/random.hpp"
#include "wavetrain/circuit/angle.hpp"
#include "wavetrain/circuit/qasm.hpp"

#include <cmath>

using namespace wavetrain;
using namespace wavetrain::test;

namespace {

/// A random tree over three symbols that stays where all functions are smooth.
class Trees {
public:
    explicit Trees(std::uint64_t seed) : seed_(seed) {}

    Angle tree(int depth) {
        const int choice = draw(depth == 0 ? 2 : 12);
        if (choice == 0) return Angle(0.25 + 0.25 * draw(6));
        if (choice == 1) return Angle::symbol(draw(3));
        const Angle a = tree(depth - 1);
        switch (choice) {
        case 2: return a + tree(depth - 1);
        case 3: return a - tree(depth - 1);
        case 4: return a * tree(depth - 1);
        case 5: return a / (Angle(2.0) + Angle::apply(Angle::Op::cos, tree(depth - 1)));
        case 6: return Angle::power(Angle(1.5) + Angle::apply(Angle::Op::sin, a), tree(depth - 1));
        case 7: return -a;
        case 8: return Angle::apply(Angle::Op::sin, a);
        case 9: return Angle::apply(Angle::Op::exp, Angle::apply(Angle::Op::cos, a));
        case 10: return Angle::apply(Angle::Op::ln, Angle(2.0) + Angle::apply(Angle::Op::sin, a));
        default: return Angle::apply(Angle::Op::sqrt, Angle(2.0) + Angle::apply(Angle::Op::cos, a));
        }
    }

private:
    int draw(int below) {
        return static_cast<int>(random_bits(seed_, Purpose::checks, counter_++) %
                                static_cast<std::uint64_t>(below));
    }

    std::uint64_t seed_;
    std::uint64_t counter_ = 0;
};

const std::vector<double> kValues = {0.3, -0.7, 1.1};
const std::vector<std::string> kNames = {"a", "b", "c"};

bool near(double a, double b, double tolerance) {
    return std::abs(a - b) <= tolerance * (1 + std::abs(a) + std::abs(b));
}

} // namespace

TEST_CASE("gradients are the derivatives", "[circuit][angle]") {
    int with_symbols = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        INFO("seed " << seed);
        const Angle angle = Trees(seed).tree(3);
        if (!std::isfinite(angle.value(kValues)) || std::abs(angle.value(kValues)) > 1e3) continue;
        const auto partials = angle.gradient(kValues);
        CHECK(partials.size() == angle.symbols().size());
        for (const auto& [symbol, slope] : partials) {
            auto values = kValues;
            const auto place = static_cast<std::size_t>(symbol);
            const auto along = [&values, &angle, place](double x) {
                values[place] = x;
                return angle.value(values);
            };
            const double expected =
                derivative(along, kValues[static_cast<std::size_t>(symbol)], 0.003);
            if (std::abs(expected) < 1e4) CHECK(near(slope, expected, 1e-7));
            ++with_symbols;
        }
    }
    CHECK(with_symbols > 100);
}

TEST_CASE("an angle's text reads back to the same angle", "[circuit][angle]") {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        const Angle angle = Trees(seed).tree(3);
        const std::string text = angle.text(kNames);
        INFO("seed " << seed << ": " << text);
        const Circuit circuit = parse_qasm(
            "OPENQASM 3.0; include \"stdgates.inc\"; input float a; input float b; input "
            "float c; qubit q; rx(1.0*(" +
                text + ")) q;",
            "text");
        const double read = circuit.operations.at(0).angles.at(0).value(kValues);
        if (std::isfinite(read)) CHECK(near(read, angle.value(kValues), 1e-12));
    }
}

TEST_CASE("substitution is evaluation later", "[circuit][angle]") {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        INFO("seed " << seed);
        Trees trees(seed);
        const Angle outer = trees.tree(2);
        const std::vector<Angle> inner = {trees.tree(1), trees.tree(1), trees.tree(1)};
        std::vector<double> between;
        for (const Angle& angle : inner) between.push_back(angle.value(kValues));
        const double expected = outer.value(between);
        if (!std::isfinite(expected)) continue;
        CHECK(near(outer.substitute(inner).value(kValues), expected, 1e-13));
    }
}

TEST_CASE("constants fold, and sizes are counted", "[circuit][angle]") {
    CHECK((Angle(2.0) * Angle(3.0)).size() == 1);
    CHECK((Angle(2.0) * Angle::symbol(0) + Angle(1.0)).size() == 5);
    CHECK(Angle::symbol(1).substitute(std::vector<Angle>{0.0, 4.0}).is_constant());
    CHECK(Angle::symbol(3).symbols() == std::vector<int>{3});
}

TEST_CASE("a negative base has a derivative", "[circuit][angle]") {
    const Angle cube = Angle::power(2.0 * Angle::symbol(0), 3.0);
    const std::vector<double> at = {-0.5};
    CHECK(near(cube.gradient(at).at(0).derivative, 6.0, 1e-14));
    CHECK(near(cube.value(at), -1.0, 1e-14));
}
