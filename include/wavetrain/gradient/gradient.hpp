/// Gradients: vector-Jacobian products of a cone's expectations.
#pragma once

#include "wavetrain/engine/run.hpp"

#include <limits>
#include <span>
#include <string_view>
#include <vector>

namespace wavetrain {

enum class Method { adjoint, parameter_shift, finite_difference };

/// The method of a name; "auto" is adjoint.
Method method_of(std::string_view name);
/// "adjoint", "parameter_shift", "finite_difference".
std::string_view method_name(Method method);
/// States that one worker holds at once under a method.
int states_of(Method method);

/// The blocks first ... last-1 of a cone.
struct BlockRange {
    std::size_t first = 0;
    std::size_t last = std::numeric_limits<std::size_t>::max(); ///< beyond the end: to the end

    bool operator==(const BlockRange&) const = default;
};

/// What is differentiated: for each sample s, sum over j of upstream[s][j] <O_j>, j over the
/// cone's observables.
struct GradientJob {
    const Plan& plan;
    const Cone& cone;
    /// The cone bound to the symbols that do not vary (the others may have any value).
    const BoundCone& bound;
    /// Per sample: values of all symbols of the circuit. Symbols that do not vary are the same.
    std::vector<std::vector<double>> symbols;
    /// Per sample: one weight per observable of the cone.
    std::vector<std::vector<double>> upstream;
    /// Per symbol of the circuit: is its derivative asked for?
    std::vector<bool> wanted;
    /// Parameter shift: only the angles of these blocks are shifted, and the derivatives are those
    /// through them. The other methods take all blocks whatever stands here.
    BlockRange shifted{};
};

/// Derivatives of a job; entries that were not asked for are 0.
struct ConeGradient {
    std::vector<double> shared; ///< per symbol that does not vary: summed over samples
    std::vector<std::vector<double>> varying; ///< per sample and symbol that varies
};

/// Differentiates. Adjoint: two states, each block undone on both and its transition matrix taken
/// on the way (after Jones and Gacon, arXiv:2009.02823; one matrix per block gives all its angles).
/// Parameter shift: per occurrence, with the rule that the generator's spectrum calls for
/// (Wierichs, Izaac, Wang and Lin, Quantum 6, 677, 2022); the state before the gate is simulated
/// once. Finite differences: central, per symbol, always in double precision.
ConeGradient differentiate(Method method, const GradientJob& job, Precision precision,
                           int threads = 1);

/// Ranges of blocks whose parameter-shift gradients add up to the cone's: at most 16, of about
/// equal cost (shifted executions times the blocks that each runs). Each begins and ends with a
/// block that has an angle of a wanted symbol; without such blocks there is none. A pure function.
std::vector<BlockRange> shift_groups(const Plan& plan, const Cone& cone,
                                     const std::vector<bool>& wanted);

/// A parameter-shift rule: f'(theta) = sum of coefficient * f(theta + shift), exact for every
/// trigonometric polynomial with the given frequencies (ascending, positive).
struct ShiftTerm {
    double coefficient;
    double shift;
};
std::vector<ShiftTerm> shift_rule(std::span<const double> frequencies);

} // namespace wavetrain
