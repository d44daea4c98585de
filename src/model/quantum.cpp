/// The quantum layer.
#include "wavetrain/model/quantum.hpp"

#include "wavetrain/base/random.hpp"
#include "wavetrain/base/text.hpp"
#include "wavetrain/compile/cost.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace wavetrain {
namespace {

constexpr double kNormalDeviation = 0.05; // as Keras' "random_normal"

std::vector<bool> varying_symbols(const std::vector<SymbolSource>& sources) {
    std::vector<bool> varying;
    for (const SymbolSource& source : sources)
        varying.push_back(source.from != SymbolSource::From::weight);
    return varying;
}

} // namespace

Quantum::Quantum(std::string name, bool trainable, Circuit circuit,
                 std::vector<PauliSum> observables, std::vector<SymbolSource> sources, bool driven,
                 const std::string& initializer, const QuantumSettings& settings)
    : Layer(std::move(name), trainable), sources_(std::move(sources)), driven_(driven),
      settings_(settings), plan_(compile(std::move(circuit), std::move(observables),
                                         varying_symbols(sources_), settings.compile)) {
    const std::vector<std::string> names{"uniform_2pi", "zeros", "normal"};
    const auto found =
        std::find(names.begin(), names.end(), initializer.empty() ? names.front() : initializer);
    if (found == names.end())
        fail(Kind::usage, "layer '{}': unknown initializer '{}'{}; there are: {}", this->name(),
             initializer, suggestion(initializer, names), fmt::join(names, ", "));
    initializer_ = static_cast<Initializer>(found - names.begin());
    for (std::size_t s = 0; s < sources_.size(); ++s) {
        const SymbolSource::From from = sources_[s].from;
        if (from == SymbolSource::From::weight) weights_.push_back(s);
        wanted_.push_back((from == SymbolSource::From::weight && trainable) ||
                          (from == SymbolSource::From::input && driven));
    }
    for (const Cone& cone : plan_.cones) uses_.push_back(use_of(cone));
}

ConeUse Quantum::use_of(const Cone& cone) const {
    std::vector<bool> used(sources_.size(), false);
    for (const Block& block : cone.blocks)
        for (int operation : block.operations)
            for (const Angle& angle :
                 plan_.circuit.operations[static_cast<std::size_t>(operation)].angles)
                for (int s : angle.symbols()) used[static_cast<std::size_t>(s)] = true;
    ConeUse use;
    bool any_wanted = false;
    for (std::size_t s = 0; s < sources_.size(); ++s) {
        if (!used[s]) continue;
        any_wanted = any_wanted || wanted_[s];
        if (sources_[s].from == SymbolSource::From::weight)
            use.weights.push_back(sources_[s].index);
        else
            use.data.push_back(sources_[s]);
        if (sources_[s].from == SymbolSource::From::input) use.inputs.push_back(s);
    }
    use.forward_flops = wavetrain::forward_flops(cone);
    use.gradient_flops = use.forward_flops;
    if (!any_wanted) return use;
    if (settings_.method == Method::parameter_shift) {
        use.ranges = shift_groups(plan_, cone, wanted_);
        use.gradient_flops = shift_flops(plan_, cone) /
                             static_cast<double>(std::max<std::size_t>(use.ranges.size(), 1));
    } else {
        use.ranges = {BlockRange{}};
    }
    return use;
}

std::vector<ParameterArray> Quantum::arrays() const {
    if (weights_.empty()) return {};
    const std::vector<std::string> names = parameter_names();
    std::vector<std::size_t> order(weights_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return names[a] < names[b]; });
    return {{"parameters:0", {weights_.size()}, order}};
}

std::vector<std::string> Quantum::parameter_names() const {
    std::vector<std::string> names;
    for (std::size_t s : weights_) names.push_back(plan_.circuit.symbols[s]);
    return names;
}

std::vector<double> Quantum::initial(std::uint64_t seed, std::uint32_t stream) const {
    std::vector<double> values(weights_.size(), 0.0);
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (initializer_ == Initializer::uniform_2pi)
            values[i] = 2 * std::numbers::pi * random_uniform(seed, Purpose::weights, i, stream);
        else if (initializer_ == Initializer::normal)
            values[i] = kNormalDeviation * random_normal(seed, Purpose::weights, i, stream);
    }
    return values;
}

void Quantum::set_parameters(std::span<const double> parameters) {
    parameters_.assign(parameters.begin(), parameters.end());
    std::vector<double> symbols(sources_.size(), 0.0);
    for (std::size_t i = 0; i < weights_.size(); ++i) symbols[weights_[i]] = parameters_[i];
    bound_.clear();
    for (const Cone& cone : plan_.cones) bound_.emplace_back(plan_, cone, symbols);
}

std::vector<double> Quantum::symbol_values(std::span<const double> features,
                                           std::span<const double> inputs) const {
    std::vector<double> values;
    values.reserve(sources_.size());
    for (const SymbolSource& source : sources_) {
        switch (source.from) {
        case SymbolSource::From::weight: values.push_back(parameters_[source.index]); break;
        case SymbolSource::From::feature: values.push_back(features[source.index]); break;
        case SymbolSource::From::input: values.push_back(inputs[source.index]); break;
        }
    }
    return values;
}

std::vector<std::vector<double>> Quantum::symbol_values(std::span<const std::size_t> samples,
                                                        const Table& features,
                                                        const Table& inputs) const {
    std::vector<std::vector<double>> values;
    values.reserve(samples.size());
    for (const std::size_t r : samples)
        values.push_back(symbol_values(features.row(r), inputs.row(r)));
    return values;
}

Executions Quantum::executions(std::size_t cone, const Table& features, const Table& inputs) const {
    if (!settings_.deduplicate || driven_) return separate_executions(features.rows);
    const std::vector<SymbolSource>& data = uses_[cone].data;
    Table keys(features.rows, data.size());
    for (std::size_t r = 0; r < features.rows; ++r) {
        const auto key = keys.row(r);
        for (std::size_t k = 0; k < data.size(); ++k)
            key[k] = data[k].from == SymbolSource::From::feature ? features.row(r)[data[k].index]
                                                                 : inputs.row(r)[data[k].index];
    }
    return merged_executions(keys);
}

std::vector<std::vector<double>> Quantum::evaluate(std::size_t cone,
                                                   std::span<const std::size_t> samples,
                                                   const Table& features, const Table& inputs,
                                                   int threads) const {
    return wavetrain::evaluate(bound_[cone], symbol_values(samples, features, inputs),
                               settings_.precision, threads);
}

ConeGradient Quantum::differentiate(std::size_t cone, const BlockRange& range,
                                    std::span<const std::size_t> samples, const Table& features,
                                    const Table& inputs, std::vector<std::vector<double>> upstream,
                                    int threads) const {
    const GradientJob job{plan_,
                          plan_.cones[cone],
                          bound_[cone],
                          symbol_values(samples, features, inputs),
                          std::move(upstream),
                          wanted_,
                          range};
    return wavetrain::differentiate(settings_.method, job, settings_.precision, threads);
}

double Quantum::unit_bytes(std::size_t cone, bool gradient) const {
    const Cone& own = plan_.cones[cone];
    const double amplitudes = std::exp2(own.layout.size());
    // Finite differences take one execution after the other, always in double precision.
    if (gradient && settings_.method == Method::finite_difference)
        return amplitudes * static_cast<double>(amplitude_bytes(Precision::double_precision));
    return amplitudes * static_cast<double>(amplitude_bytes(settings_.precision)) *
           (lanes_for(plan_, own) == Lanes::executions ? static_cast<double>(kLanes) : 1.0) *
           (gradient ? states_of(settings_.method) : 1);
}

void Quantum::add_gradient(std::size_t cone, const ConeGradient& gradient, ExactSums& sums,
                           std::size_t offset) const {
    if (!trainable()) return;
    for (const std::size_t weight : uses_[cone].weights)
        sums.add(offset + weight, gradient.shared[weights_[weight]]);
}

} // namespace wavetrain
