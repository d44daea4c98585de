/// Simulation of one circuit.
#include "wavetrain/gradient/simulate.hpp"

#include "wavetrain/engine/sample.hpp"

#include <cmath>

namespace wavetrain {
namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

/// One simulation in one precision.
template <class Real> class Simulation {
public:
    Simulation(const Circuit& circuit, const SimulationRequest& request)
        : circuit_(circuit), request_(request) {}

    SimulationResult run() {
        if (!request_.observables.empty() || request_.gradient) observe();
        if (request_.amplitudes || request_.samples > 0 || request_.trace) whole_state();
        check_finite();
        return std::move(result_);
    }

private:
    /// Angles are finite, but a derivative may not be (of a root at 0), and a sum may overflow.
    void check_finite() const {
        for (std::size_t j = 0; j < result_.expectations.size(); ++j) {
            const std::string name = pauli_text(request_.observables[j]);
            if (!std::isfinite(result_.expectations[j]))
                fail(Kind::numeric, "the expectation of '{}' is {}", name, result_.expectations[j]);
            if (!request_.gradient) continue;
            for (std::size_t s = 0; s < circuit_.symbols.size(); ++s)
                if (!std::isfinite(result_.gradients[j][s]))
                    fail(Kind::numeric, "the derivative of '{}' in '{}' is {} at the given values",
                         name, circuit_.symbols[s], result_.gradients[j][s]);
        }
    }

    Plan plan(bool whole) const {
        CompileOptions options = request_.compile;
        if (whole) { // amplitudes in the circuit's own order
            options.light_cones = "off";
            options.late_qubits = "off";
        }
        return compile(circuit_, request_.observables,
                       std::vector<bool>(circuit_.symbols.size(), false), options);
    }

    void observe() {
        const Plan plan = this->plan(false);
        const int states = request_.gradient ? states_of(*request_.gradient) : 1;
        check_memory(plan, request_.precision, states, 1);
        const std::size_t count = request_.observables.size();
        result_.expectations.assign(count, 0.0);
        if (request_.gradient)
            result_.gradients.assign(count, std::vector<double>(circuit_.symbols.size(), 0.0));
        for (const Cone& cone : plan.cones) {
            const BoundCone bound(plan, cone, request_.symbols);
            const std::vector<double> values =
                evaluate(bound, request_.precision, request_.threads);
            for (std::size_t j = 0; j < values.size(); ++j)
                result_.expectations[at(cone.observables[j])] = values[j];
            if (request_.gradient) differentiate_cone(plan, cone, bound);
        }
    }

    void differentiate_cone(const Plan& plan, const Cone& cone, const BoundCone& bound) {
        const std::size_t count = cone.observables.size();
        for (std::size_t j = 0; j < count; ++j) {
            std::vector<double> upstream(count, 0.0);
            upstream[j] = 1.0;
            const GradientJob job{plan,       cone,
                                  bound,      {request_.symbols},
                                  {upstream}, std::vector<bool>(circuit_.symbols.size(), true)};
            result_.gradients[at(cone.observables[j])] =
                differentiate(*request_.gradient, job, request_.precision, request_.threads).shared;
        }
    }

    void whole_state() {
        const Plan plan = this->plan(true);
        check_memory(plan, request_.precision, 1, 1);
        const Cone& cone = plan.cones.front();
        const BoundCone bound(plan, cone, request_.symbols);
        if (!plan.eager) {
            Simulator<Real> simulator(bound, Lanes::amplitudes, 1, request_.threads);
            simulator.forward();
            read(simulator.state());
            return;
        }
        State<Real> state(static_cast<int>(cone.layout.size()));
        Observer<Real> observer;
        if (request_.trace)
            observer = [&](std::size_t block, double norm, const State<Real>& now) {
                request_.trace(at(cone.blocks[block].operations.front()), norm,
                               wavetrain::expectations(cone, now));
            };
        wavetrain::run(bound, state, observer);
        read(state);
    }

    void read(const State<Real>& state) {
        if (request_.amplitudes)
            for (std::size_t i = 0; i < state.size(); ++i)
                result_.amplitudes.push_back(state.amplitude(i));
        if (request_.samples > 0) result_.samples = sample(state, request_.samples, request_.seed);
    }

    const Circuit& circuit_;
    const SimulationRequest& request_;
    SimulationResult result_;
};

} // namespace

SimulationResult simulate(const Circuit& circuit, const SimulationRequest& request) {
    promise(request.symbols.size() == circuit.symbols.size(), "a value for every symbol");
    return request.precision == Precision::single_precision
               ? Simulation<float>(circuit, request).run()
               : Simulation<double>(circuit, request).run();
}

} // namespace wavetrain
