/// Gradient checks.
#include "wavetrain/config/gradcheck.hpp"

#include "wavetrain/base/random.hpp"

#include <algorithm>
#include <cmath>

namespace wavetrain {
namespace {

constexpr std::size_t kAllQubits = 12;      // up to here every symbol is checked
constexpr std::size_t kSampledSymbols = 64; // above, so many
constexpr double kStep = 0x1.0p-11;

double largest_difference(const ConeGradient& a, const ConeGradient& b) {
    double largest = 0;
    const auto compare = [&](std::span<const double> x, std::span<const double> y) {
        for (std::size_t i = 0; i < x.size(); ++i) {
            const double off = std::abs(x[i] - y[i]);
            // A NaN is the largest difference of all.
            if (!(off <= largest)) largest = off;
        }
    };
    compare(a.shared, b.shared);
    for (std::size_t s = 0; s < a.varying.size(); ++s) compare(a.varying[s], b.varying[s]);
    return largest;
}

/// The symbols to check in a cone: all, or some chosen by seed.
std::vector<bool> chosen_symbols(const Plan& plan, const Cone& cone, std::uint64_t seed) {
    std::vector<bool> used(plan.circuit.symbols.size(), false);
    for (const Block& block : cone.blocks)
        for (int index : block.operations)
            for (const Angle& angle :
                 plan.circuit.operations[static_cast<std::size_t>(index)].angles)
                for (int s : angle.symbols()) used[static_cast<std::size_t>(s)] = true;
    if (cone.layout.size() <= kAllQubits) return used;
    std::vector<bool> chosen(used.size(), false);
    std::size_t count = 0;
    for (std::size_t s : random_permutation(seed, Purpose::checks, used.size()))
        if (used[s] && count < kSampledSymbols) {
            chosen[s] = true;
            ++count;
        }
    return chosen;
}

LayerCheck check_quantum(const Quantum& layer, std::span<const double> features,
                         std::span<const double> inputs, Precision precision, std::uint64_t seed) {
    LayerCheck check{.name = layer.name(), .type = "quantum"};
    const Plan& plan = layer.plan();
    for (std::size_t c = 0; c < plan.cones.size(); ++c) {
        const Cone& cone = plan.cones[c];
        std::vector<double> upstream;
        for (int j : cone.observables)
            upstream.push_back(
                2 * random_uniform(seed, Purpose::checks, static_cast<std::uint64_t>(j), 1) - 1);
        const GradientJob job{plan,
                              cone,
                              layer.bound()[c],
                              {layer.symbol_values(features, inputs)},
                              {upstream},
                              chosen_symbols(plan, cone, seed)};
        check.checked +=
            static_cast<std::size_t>(std::count(job.wanted.begin(), job.wanted.end(), true));
        const ConeGradient adjoint = differentiate(Method::adjoint, job, precision);
        const ConeGradient shift = differentiate(Method::parameter_shift, job, precision);
        const ConeGradient difference = differentiate(Method::finite_difference, job, precision);
        check.adjoint_shift = std::max(check.adjoint_shift, largest_difference(adjoint, shift));
        check.adjoint_difference =
            std::max(check.adjoint_difference, largest_difference(adjoint, difference));
    }
    return check;
}

/// Backward against the five-point difference of the loss, for the parameters of one layer.
LayerCheck check_classical(Assembly& assembly, std::size_t index, std::span<const double> start,
                           const ExactSums& backward, const Table& features, const Table& labels) {
    const Layer& layer = *assembly.model->layers()[index];
    LayerCheck check{.name = layer.name(), .type = std::string(layer.type())};
    std::vector<double> parameters(start.begin(), start.end());
    const auto loss_at = [&](std::size_t p, double shift) {
        parameters[p] = start[p] + shift;
        assembly.model->set_parameters(parameters);
        parameters[p] = start[p];
        const Table outputs = assembly.model->forward(features);
        return assembly.loss.value(outputs.row(0), labels.row(0));
    };
    for (std::size_t k = 0; k < layer.parameters(); ++k) {
        const std::size_t p = assembly.model->offset(index) + k;
        const double near = loss_at(p, kStep) - loss_at(p, -kStep);
        const double far = loss_at(p, 2 * kStep) - loss_at(p, -2 * kStep);
        const double off = std::abs((8 * near - far) / (12 * kStep) - backward.value(p));
        if (!(off <= check.adjoint_difference)) check.adjoint_difference = off;
        ++check.checked;
    }
    assembly.model->set_parameters(start);
    return check;
}

Table first_row(const Table& table) {
    Table row(1, table.width);
    std::copy_n(table.values.begin(), table.width, row.values.begin());
    return row;
}

} // namespace

std::vector<LayerCheck> check_gradients(Assembly& assembly, std::span<const double> parameters) {
    Model& model = *assembly.model;
    const Precision precision = precision_of(assembly.config.engine.precision);
    for (const Plan* plan : model.plans())
        check_memory(*plan, precision, states_of(Method::adjoint), 1);
    model.set_parameters(parameters);
    const Table features = first_row(assembly.training.features);
    const Table labels = first_row(assembly.training.labels);
    SoloComm alone;
    const Workers workers{alone};
    ExactSums backward(model.parameters() + 1, 0);
    learn(model, assembly.loss, features, labels, workers, "the gradient check",
          std::span(&backward, 1));
    Pass pass(model, features, workers, "the gradient check");
    pass.forward();
    const std::vector<Table>& inputs = pass.inputs();
    std::vector<LayerCheck> checks;
    for (std::size_t i = 0; i < model.layers().size(); ++i) {
        const Layer& layer = *model.layers()[i];
        if (const auto* quantum = dynamic_cast<const Quantum*>(&layer))
            checks.push_back(check_quantum(*quantum, features.row(0), inputs[i].row(0), precision,
                                           assembly.config.train.seed));
        else if (layer.parameters() > 0 && layer.trainable())
            checks.push_back(check_classical(assembly, i, parameters, backward, features, labels));
    }
    return checks;
}

} // namespace wavetrain
