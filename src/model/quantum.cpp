/// The quantum layer.
#include "wavetrain/model/quantum.hpp"

#include "wavetrain/base/random.hpp"
#include "wavetrain/base/text.hpp"

#include <algorithm>
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
                 std::vector<PauliSum> observables, std::vector<SymbolSource> sources,
                 const std::string& initializer, const QuantumSettings& settings)
    : Layer(std::move(name), trainable), sources_(std::move(sources)), settings_(settings),
      plan_(compile(std::move(circuit), std::move(observables), varying_symbols(sources_),
                    settings.compile)) {
    const std::vector<std::string> names{"uniform_2pi", "zeros", "normal"};
    const auto found =
        std::find(names.begin(), names.end(), initializer.empty() ? names.front() : initializer);
    if (found == names.end())
        fail(Kind::usage, "layer '{}': unknown initializer '{}'{}; there are: {}", this->name(),
             initializer, suggestion(initializer, names), fmt::join(names, ", "));
    initializer_ = static_cast<Initializer>(found - names.begin());
    for (std::size_t s = 0; s < sources_.size(); ++s) {
        if (sources_[s].from == SymbolSource::From::weight) weights_.push_back(s);
        input_symbols_.push_back(sources_[s].from == SymbolSource::From::input);
    }
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

Table Quantum::forward(const Table& features, const Table& inputs) const {
    Table outputs(features.rows, width());
    std::vector<std::vector<double>> symbols;
    for (std::size_t r = 0; r < features.rows; ++r)
        symbols.push_back(symbol_values(features.row(r), inputs.row(r)));
    for (std::size_t c = 0; c < plan_.cones.size(); ++c) {
        BoundCone bound = bound_[c];
        for (std::size_t r = 0; r < features.rows; ++r) {
            bound.rebind_varying(symbols[r]);
            const std::vector<double> values = evaluate(bound, settings_.precision);
            const std::vector<int>& observables = plan_.cones[c].observables;
            for (std::size_t j = 0; j < observables.size(); ++j)
                outputs.row(r)[static_cast<std::size_t>(observables[j])] = values[j];
        }
    }
    return outputs;
}

Table Quantum::backward(const Table& features, const Table& inputs, const Table&,
                        const Table& upstream, bool want_inputs, ExactSums& sums,
                        std::size_t offset) const {
    Table below(want_inputs ? features.rows : 0, inputs.width);
    std::vector<std::vector<double>> symbols;
    for (std::size_t r = 0; r < features.rows; ++r)
        symbols.push_back(symbol_values(features.row(r), inputs.row(r)));
    std::vector<bool> wanted(sources_.size(), false);
    for (std::size_t s = 0; s < sources_.size(); ++s)
        wanted[s] = sources_[s].from == SymbolSource::From::weight
                        ? trainable()
                        : want_inputs && input_symbols_[s];
    for (std::size_t c = 0; c < plan_.cones.size(); ++c) {
        const Cone& cone = plan_.cones[c];
        GradientJob job{plan_, cone, bound_[c], symbols, {}, wanted};
        for (std::size_t r = 0; r < features.rows; ++r) {
            std::vector<double> weights;
            for (int j : cone.observables)
                weights.push_back(upstream.row(r)[static_cast<std::size_t>(j)]);
            job.upstream.push_back(std::move(weights));
        }
        const ConeGradient gradient = differentiate(settings_.method, job, settings_.precision);
        if (trainable())
            for (std::size_t i = 0; i < weights_.size(); ++i)
                sums.add(offset + i, gradient.shared[weights_[i]]);
        if (!want_inputs) continue;
        for (std::size_t r = 0; r < features.rows; ++r)
            for (std::size_t s = 0; s < sources_.size(); ++s)
                if (input_symbols_[s]) below.row(r)[sources_[s].index] += gradient.varying[r][s];
    }
    return below;
}

} // namespace wavetrain
