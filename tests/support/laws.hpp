/// What the tests of laws share: dice, random circuits over the whole gate table, and the engine
/// run by hand through all its options.
#pragma once

#include "wavetrain/base/random.hpp"
#include "wavetrain/gradient/gradient.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace wavetrain::test {

/// A stream of random numbers that depends on its seed alone.
class Dice {
public:
    explicit Dice(std::uint64_t seed) : seed_(seed) {}

    /// Uniform in [low, high).
    double number(double low, double high) {
        return low + (high - low) * random_uniform(seed_, Purpose::checks, next_++);
    }
    /// 0 ... count-1.
    int below(int count) { return static_cast<int>(number(0.0, count)); }

private:
    std::uint64_t seed_;
    std::uint64_t next_ = 0;
};

/// A circuit without gates.
Circuit circuit_on(int qubits);
/// A random unitary matrix on `qubits` qubits.
Matrix random_unitary(Dice& dice, int qubits);
/// An angle over the circuit's symbols: a constant, affine, a product or a smooth function of them.
Angle random_angle(Dice& dice, const Circuit& circuit);
/// Appends a row of the gate table on random qubits, with up to `controls` further controls of
/// random signs, as far as there are qubits; false if the row does not fit the circuit. Matrices
/// act on 1 to 6 qubits, Pauli words are of any length.
bool add_row(Dice& dice, Circuit& circuit, const GateInfo& row, int controls);
/// Every row of the table that fits, twice each, in random order, over three symbols.
Circuit random_circuit(Dice& dice, int qubits);
/// Rotations and entangling gates that leave no amplitude zero.
void add_frame(Dice& dice, Circuit& circuit);
/// A random observable with a constant.
PauliSum random_observable(Dice& dice, int qubits);
std::vector<double> random_values(Dice& dice, std::size_t count);

/// Every way to compile: fusion x light cones, and eager.
std::vector<CompileOptions> all_options();
std::string option_text(const CompileOptions& options);

/// The plan's expectations, by observable.
std::vector<double> plan_expectations(const Plan& plan, std::span<const double> symbols,
                                      Precision precision);
/// The gradient of all cones together. `upstream` has one weight per observable of the plan.
ConeGradient plan_gradient(Method method, const Plan& plan,
                           const std::vector<std::vector<double>>& symbols,
                           const std::vector<std::vector<double>>& upstream,
                           const std::vector<bool>& wanted, Precision precision);

/// What rounding may do to an expectation of this size after so many gates.
double tolerance(Precision precision, std::size_t gates, double scale = 1.0);
/// The sum of the magnitudes of an observable's coefficients.
double scale_of(const PauliSum& observable);

/// The value of the observable, compiled with these options.
double value_of(const Circuit& circuit, std::string_view observable,
                std::vector<double> symbols = {}, const CompileOptions& options = {},
                Precision precision = Precision::double_precision);

inline constexpr Precision kPrecisions[] = {Precision::double_precision,
                                            Precision::single_precision};
inline constexpr Method kMethods[] = {Method::adjoint, Method::parameter_shift,
                                      Method::finite_difference};

} // namespace wavetrain::test
