/// Running cones, and refusing those that do not fit.
#include "wavetrain/engine/run.hpp"

#include "wavetrain/base/machine.hpp"

#include <cmath>
#include <limits>
#include <type_traits>

namespace wavetrain {
namespace {

template <class Real> std::vector<double> evaluate_as(const BoundCone& bound) {
    State<Real> state(static_cast<int>(bound.cone().layout.size()));
    run(bound, state);
    return expectations(bound.cone(), state);
}

template <class Real>
std::vector<std::vector<double>> evaluate_as(const BoundCone& bound,
                                             std::span<const std::vector<double>> executions) {
    BoundCone own = bound;
    State<Real> state(static_cast<int>(bound.cone().layout.size()));
    std::vector<std::vector<double>> values;
    values.reserve(executions.size());
    for (const std::vector<double>& symbols : executions) {
        own.rebind_varying(symbols);
        run(own, state);
        values.push_back(expectations(own.cone(), state));
    }
    return values;
}

/// Rounding of single gates adds up to less than this for millions of gates.
template <class Real> constexpr double kNormTolerance = std::is_same_v<Real, float> ? 1e-2 : 1e-7;

template <class Real> void check_norm(const BoundCone& bound, std::size_t block, double norm) {
    if (std::abs(norm - 1.0) <= kNormTolerance<Real>) return; // false for a NaN
    const int index = bound.block(block).operations.front();
    const Operation& gate = bound.plan().circuit.operations[static_cast<std::size_t>(index)];
    fail_at(gate.place, Kind::numeric, "after gate {} ('{}') the norm of the state is {}, not 1",
            index + 1, operation_name(gate), norm);
}

/// From so many qubits on a state has more bytes than 64 bits can count.
constexpr int kBeyondAddresses = 60;

/// Beyond every memory: products that overflow saturate here.
std::uint64_t saturating_product(std::uint64_t a, std::uint64_t b) {
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
    return b != 0 && a > kMost / b ? kMost : a * b;
}

} // namespace

Precision precision_of(std::string_view name) {
    return name == "single" ? Precision::single_precision : Precision::double_precision;
}

std::uint64_t amplitude_bytes(Precision precision) {
    return precision == Precision::single_precision ? 2 * sizeof(float) : 2 * sizeof(double);
}

template <class Real>
void run(const BoundCone& bound, State<Real>& state, const Observer<Real>& observer) {
    state.reset();
    for (std::size_t i = 0; i < bound.size(); ++i) {
        apply(state, bound.block(i), bound.bound(i));
        if (!bound.plan().eager) continue;
        const double norm = std::sqrt(norm_squared(state));
        check_norm<Real>(bound, i, norm);
        if (observer) observer(i, norm, state);
    }
}

template <class Real> double normalization(const State<Real>& state) {
    return std::is_same_v<Real, float> ? 1.0 / norm_squared(state) : 1.0;
}

template <class Real> std::vector<double> expectations(const Cone& cone, const State<Real>& state) {
    const double factor = normalization(state);
    std::vector<double> values;
    for (const std::vector<PositionTerm>& terms : cone.terms) {
        double sum = 0;
        for (const PositionTerm& term : terms) {
            const bool constant = term.word.x_mask == 0 && term.word.z_mask == 0;
            sum += term.coefficient * (constant ? 1.0 : factor * expectation(state, term.word));
        }
        values.push_back(sum);
    }
    return values;
}

std::vector<double> evaluate(const BoundCone& bound, Precision precision) {
    return precision == Precision::single_precision ? evaluate_as<float>(bound)
                                                    : evaluate_as<double>(bound);
}

std::vector<std::vector<double>> evaluate(const BoundCone& bound,
                                          std::span<const std::vector<double>> executions,
                                          Precision precision) {
    return precision == Precision::single_precision ? evaluate_as<float>(bound, executions)
                                                    : evaluate_as<double>(bound, executions);
}

std::uint64_t plan_bytes(const Plan& plan, Precision precision, int states, int workers) {
    const std::uint64_t one = state_bytes(largest_state(plan), amplitude_bytes(precision));
    return saturating_product(one, static_cast<std::uint64_t>(states) *
                                       static_cast<std::uint64_t>(workers));
}

void check_memory(const Plan& plan, Precision precision, int states, int workers, int node_ranks) {
    const int qubits = largest_state(plan);
    const std::string one = state_bytes_text(qubits, amplitude_bytes(precision));
    const char* advice = "fewer qubits, engine.light_cones = \"auto\", engine.precision = "
                         "\"single\" or fewer threads and ranks on this host need less";
    if (qubits >= kBeyondAddresses)
        fail(Kind::environment,
             "a state of {} qubits takes {} (one state has at most 62 qubits), and {} bytes are "
             "available; fewer qubits or engine.light_cones = \"auto\" need less",
             qubits, one, grouped(available_memory_bytes()));
    const std::uint64_t rank_bytes = plan_bytes(plan, precision, states, workers);
    const std::uint64_t host_bytes =
        saturating_product(rank_bytes, static_cast<std::uint64_t>(node_ranks));
    const std::uint64_t available = available_memory_bytes();
    if (host_bytes <= available) return;
    fail(
        Kind::environment,
        "not enough memory: a state of {} qubits takes {}; with {} state{} for each of {} thread{} "
        "this plan needs {} bytes a rank, {} bytes for the {} rank{} on this host, where {} bytes "
        "are available; {}",
        qubits, one, states, states == 1 ? "" : "s", workers, workers == 1 ? "" : "s",
        grouped(rank_bytes), grouped(host_bytes), node_ranks, node_ranks == 1 ? "" : "s",
        grouped(available), advice);
}

template void run(const BoundCone&, State<float>&, const Observer<float>&);
template void run(const BoundCone&, State<double>&, const Observer<double>&);
template double normalization(const State<float>&);
template double normalization(const State<double>&);
template std::vector<double> expectations(const Cone&, const State<float>&);
template std::vector<double> expectations(const Cone&, const State<double>&);

} // namespace wavetrain
