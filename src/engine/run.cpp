/// Running cones, and refusing those that do not fit.
#include "wavetrain/engine/run.hpp"

#include "observe.hpp"
#include "wavetrain/base/machine.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace wavetrain {
namespace {

/// Of one sample as bound; checked gate by gate where the plan is eager.
template <class Real> std::vector<double> evaluate_one(const BoundCone& bound, int threads) {
    if (bound.plan().eager) {
        State<Real> state(static_cast<int>(bound.cone().layout.size()));
        run(bound, state);
        return expectations(bound.cone(), state);
    }
    Simulator<Real> simulator(bound, Lanes::amplitudes, 1, threads);
    simulator.forward();
    return simulator.expectations();
}

template <class Real>
std::vector<std::vector<double>>
evaluate_all(const BoundCone& bound, std::span<const std::vector<double>> executions, int threads) {
    std::vector<std::vector<double>> values;
    if (bound.plan().eager) {
        BoundCone own = bound;
        for (const std::vector<double>& symbols : executions) {
            own.rebind_varying(symbols);
            values.push_back(evaluate_one<Real>(own, 1));
        }
        return values;
    }
    const Lanes lanes = lanes_for(bound.plan(), bound.cone());
    Simulator<Real> simulator(bound, lanes, 1, threads);
    for (std::size_t first = 0; first < executions.size(); first += simulator.width()) {
        const std::size_t count = std::min(simulator.width(), executions.size() - first);
        simulator.bind(executions.subspan(first, count));
        simulator.forward();
        const std::vector<double> rows = simulator.expectations();
        const std::size_t columns = bound.cone().terms.size();
        for (std::size_t row = 0; row < count; ++row) {
            const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(row * columns);
            values.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(columns));
        }
    }
    return values;
}

/// Lanes pay up to so many qubits.
constexpr std::size_t kLaneQubits = 12;

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
    state.reset(bound.cone().start);
    for (std::size_t i = 0; i < bound.size(); ++i) {
        apply(state, bound.block(i), bound.bound(i));
        if (!bound.plan().eager) continue;
        const double norm = std::sqrt(norm_squared(state));
        check_norm<Real>(bound, i, norm);
        if (observer) observer(i, norm, state);
    }
}

template <class Real> std::vector<double> expectations(const Cone& cone, const State<Real>& state) {
    return observe(cone, state, 1);
}

Lanes lanes_for(const Plan& plan, const Cone& cone) {
    if (plan.lanes != LaneUse::automatic)
        return plan.lanes == LaneUse::on ? Lanes::executions : Lanes::amplitudes;
    const bool varying = std::any_of(cone.blocks.begin(), cone.blocks.end(),
                                     [](const Block& block) { return block.varying; });
    return varying && cone.layout.size() <= kLaneQubits ? Lanes::executions : Lanes::amplitudes;
}

std::vector<double> evaluate(const BoundCone& bound, Precision precision, int threads) {
    return precision == Precision::single_precision ? evaluate_one<float>(bound, threads)
                                                    : evaluate_one<double>(bound, threads);
}

std::vector<std::vector<double>> evaluate(const BoundCone& bound,
                                          std::span<const std::vector<double>> executions,
                                          Precision precision, int threads) {
    return precision == Precision::single_precision
               ? evaluate_all<float>(bound, executions, threads)
               : evaluate_all<double>(bound, executions, threads);
}

std::uint64_t plan_bytes(const Plan& plan, Precision precision, int states, int workers) {
    std::uint64_t largest = 0;
    for (const Cone& cone : plan.cones) {
        const auto qubits = static_cast<int>(cone.layout.size());
        const std::uint64_t one = state_bytes(qubits, amplitude_bytes(precision));
        const bool lanes = lanes_for(plan, cone) == Lanes::executions;
        largest = std::max(largest, saturating_product(one, lanes ? kLanes : 1));
    }
    return saturating_product(largest, static_cast<std::uint64_t>(states) *
                                           static_cast<std::uint64_t>(workers));
}

void check_addressable(const Plan& plan, Precision precision) {
    const int qubits = largest_state(plan);
    if (qubits < kBeyondAddresses) return;
    fail(Kind::environment,
         "a state of {} qubits takes {} (one state has at most 62 qubits), and {} bytes are "
         "available; fewer qubits, or engine.light_cones = \"auto\" where it is \"off\", need less",
         qubits, state_bytes_text(qubits, amplitude_bytes(precision)),
         grouped(available_memory_bytes()));
}

void check_memory(const Plan& plan, Precision precision, double rank_bytes, double host_bytes,
                  int node_ranks) {
    check_addressable(plan, precision);
    const std::uint64_t available = available_memory_bytes();
    if (host_bytes <= static_cast<double>(available)) return;
    const int qubits = largest_state(plan);
    fail(Kind::environment,
         "not enough memory: a state of {} qubits takes {}; this run needs {} bytes a rank, {} "
         "bytes for the {} rank{} on this host, where {} bytes are available; fewer qubits, "
         "engine.light_cones = \"auto\" where it is \"off\", engine.precision = \"single\", fewer "
         "threads or fewer ranks on this host need less",
         qubits, state_bytes_text(qubits, amplitude_bytes(precision)), grouped_bytes(rank_bytes),
         grouped_bytes(host_bytes), node_ranks, node_ranks == 1 ? "" : "s", grouped(available));
}

void check_memory(const Plan& plan, Precision precision, int states, int workers) {
    check_addressable(plan, precision);
    const auto bytes = static_cast<double>(plan_bytes(plan, precision, states, workers));
    check_memory(plan, precision, bytes, bytes, 1);
}

template void run(const BoundCone&, State<float>&, const Observer<float>&);
template void run(const BoundCone&, State<double>&, const Observer<double>&);
template std::vector<double> expectations(const Cone&, const State<float>&);
template std::vector<double> expectations(const Cone&, const State<double>&);

} // namespace wavetrain
