/// Passes of batches through models.
#include "wavetrain/model/pass.hpp"

#include "wavetrain/base/parallel.hpp"
#include "wavetrain/comm/together.hpp"

#include <algorithm>
#include <cstring>

namespace wavetrain {
namespace {

/// For each unit of these sizes, where its numbers begin; at the end their total.
template <class Units> std::vector<std::size_t> places_of(const Units& units) {
    std::vector<std::size_t> places(units.size() + 1, 0);
    for (std::size_t u = 0; u < units.size(); ++u) places[u + 1] = places[u] + units[u].numbers;
    return places;
}

/// The numbers of a rank's units, one after the other.
std::string packed(std::span<const int> owners, int rank, std::span<const std::size_t> places,
                   std::span<const double> numbers) {
    std::string bytes;
    for (std::size_t u = 0; u < owners.size(); ++u)
        if (owners[u] == rank)
            bytes.append(reinterpret_cast<const char*>(numbers.data() + places[u]),
                         (places[u + 1] - places[u]) * sizeof(double));
    return bytes;
}

/// Every unit's numbers from what its rank has sent.
void unpack(const std::vector<std::string>& all, std::span<const int> owners,
            std::span<const std::size_t> places, std::vector<double>& numbers) {
    std::vector<std::size_t> taken(all.size(), 0);
    for (std::size_t u = 0; u < owners.size(); ++u) {
        const auto owner = static_cast<std::size_t>(owners[u]);
        const std::size_t bytes = (places[u + 1] - places[u]) * sizeof(double);
        promise(taken[owner] + bytes <= all[owner].size(), "a rank has sent too few numbers");
        if (bytes > 0)
            std::memcpy(numbers.data() + places[u], all[owner].data() + taken[owner], bytes);
        taken[owner] += bytes;
    }
}

/// Upstream weights of a cone's executions: those of the samples that each stands for, added in
/// their order. One row per execution, one column per observable of the cone.
Table execution_weights(const Executions& executions, const std::vector<int>& observables,
                        const Table& upstream) {
    Table weights(executions.samples.size(), observables.size());
    for (std::size_t r = 0; r < upstream.rows; ++r) {
        const auto row = weights.row(executions.of[r]);
        for (std::size_t j = 0; j < observables.size(); ++j)
            row[j] += upstream.row(r)[static_cast<std::size_t>(observables[j])];
    }
    return weights;
}

} // namespace

Pass::Pass(const Model& model, const Table& features, const Workers& workers, std::string what)
    : model_(model), features_(features), workers_(workers), what_(std::move(what)),
      inputs_(model.layers().size()), outputs_(model.layers().size()),
      executions_(model.layers().size()) {}

const Table& Pass::forward() {
    for (const Stage& stage : model_.stages()) {
        for (const std::size_t layer : stage.layers) inputs_[layer] = gather(layer);
        if (stage.quantum) {
            forward_quantum(stage);
        } else {
            const std::size_t layer = stage.layers.front();
            outputs_[layer] = model_.classical(layer).forward(inputs_[layer]);
        }
    }
    return outputs_.back();
}

void Pass::backward(Table upstream, std::span<ExactSums> parts) {
    upstream_.clear();
    for (const Table& output : outputs_) upstream_.emplace_back(output.rows, output.width);
    upstream_.back() = std::move(upstream);
    const std::span<const Stage> stages = model_.stages();
    for (std::size_t s = stages.size(); s-- > 0;) {
        if (stages[s].quantum)
            backward_quantum(stages[s], parts);
        else
            backward_classical(stages[s].layers.front(), parts);
    }
}

Table Pass::gather(std::size_t layer) const {
    const Wiring& wiring = model_.wiring(layer);
    if (wiring.takes_features) return features_;
    if (wiring.inputs.size() == 1) return outputs_[wiring.inputs.front()];
    std::size_t width = 0;
    for (const std::size_t i : wiring.inputs) width += outputs_[i].width;
    Table inputs(features_.rows, width);
    for (std::size_t r = 0; r < features_.rows; ++r) {
        auto place = inputs.row(r).begin();
        for (const std::size_t i : wiring.inputs) {
            const auto row = std::as_const(outputs_[i]).row(r);
            place = std::copy(row.begin(), row.end(), place);
        }
    }
    return inputs;
}

bool Pass::trains(std::size_t layer) const {
    return model_.layers()[layer]->trainable() && model_.layers()[layer]->parameters() > 0;
}

/// Of the layers that have run so far.
ExecutionCounts Pass::counts() const {
    ExecutionCounts counts;
    for (const std::vector<Executions>& cones : executions_) {
        std::vector<std::size_t>& own = counts.emplace_back();
        for (const Executions& executions : cones) own.push_back(executions.samples.size());
    }
    return counts;
}

/// Hands the derivative in a layer's inputs on to the layers that they come from.
void Pass::pass_down(std::size_t layer, const Table& below) {
    std::size_t column = 0;
    for (const std::size_t source : model_.wiring(layer).inputs) {
        Table& target = upstream_[source];
        for (std::size_t r = 0; r < target.rows; ++r)
            for (std::size_t c = 0; c < target.width; ++c)
                target.row(r)[c] += below.row(r)[column + c];
        column += target.width;
    }
}

void Pass::backward_classical(std::size_t layer, std::span<ExactSums> parts) {
    const ClassicalLayer& classical = model_.classical(layer);
    if (trains(layer))
        for (const Range& rows : own_samples(features_.rows, workers_))
            classical.add_gradient(inputs_[layer], outputs_[layer], upstream_[layer], rows,
                                   parts.front(), model_.offset(layer));
    if (model_.wiring(layer).needs_gradient)
        pass_down(layer, classical.backward(inputs_[layer], outputs_[layer], upstream_[layer]));
}

/// This rank's units, the most expensive first.
void Pass::run_units(std::span<const Unit> units, std::span<const int> owners,
                     std::span<const std::size_t> places, std::vector<double>& numbers,
                     const Body& body) const {
    std::vector<std::size_t> own;
    for (std::size_t u = 0; u < units.size(); ++u)
        if (owners[u] == workers_.comm.rank()) own.push_back(u);
    std::stable_sort(own.begin(), own.end(),
                     [&](std::size_t a, std::size_t b) { return units[a].cost > units[b].cost; });
    // Threads share out units where there are enough of them, else the state of each unit.
    const int outer = unit_workers(own.size(), workers_.threads);
    const int inner = outer == 1 ? workers_.threads : 1;
    parallel_for(own.size(), outer, [&](std::size_t index, int worker) {
        if (workers_.asked_to_stop()) return;
        const std::size_t u = own[index];
        const Unit& unit = units[u];
        const Executions& executions = executions_[unit.layer][unit.cone];
        body(unit,
             std::span(executions.samples).subspan(unit.executions.first, unit.executions.size()),
             std::span(numbers).subspan(places[u], places[u + 1] - places[u]),
             static_cast<std::size_t>(worker), inner);
    });
}

/// Does the units on all ranks; where `exchange`, every rank gets the numbers of all of them.
std::vector<double> Pass::spread(std::span<const Unit> units, bool exchange,
                                 const Body& body) const {
    std::vector<double> costs;
    costs.reserve(units.size());
    for (const Unit& unit : units) costs.push_back(unit.cost);
    const std::vector<int> owners = share_out(costs, workers_.comm.size());
    const std::vector<std::size_t> places = places_of(units);
    std::vector<double> numbers(places.back(), 0.0);
    if (!exchange) {
        run_units(units, owners, places, numbers, body);
        return numbers;
    }
    const bool alone = workers_.comm.size() == 1;
    const auto all = together_gather(workers_.comm, "running the circuits of " + what_, [&] {
        run_units(units, owners, places, numbers, body);
        if (workers_.await) workers_.await();
        return alone ? std::string() : packed(owners, workers_.comm.rank(), places, numbers);
    });
    if (!alone) unpack(all, owners, places, numbers);
    return numbers;
}

void Pass::forward_quantum(const Stage& stage) {
    for (const std::size_t layer : stage.layers) {
        const Quantum& quantum = model_.quantum(layer);
        executions_[layer].clear();
        for (std::size_t c = 0; c < quantum.plan().cones.size(); ++c)
            executions_[layer].push_back(quantum.executions(c, features_, inputs_[layer]));
    }
    const std::vector<Unit> units = forward_units(model_, stage, counts(), workers_.micro_batch);
    const std::vector<double> numbers =
        spread(units, true,
               [&](const Unit& unit, std::span<const std::size_t> samples,
                   std::span<double> readouts, std::size_t, int threads) {
                   auto place = readouts.begin();
                   for (const std::vector<double>& values :
                        model_.quantum(unit.layer)
                            .evaluate(unit.cone, samples, features_, inputs_[unit.layer], threads))
                       place = std::copy(values.begin(), values.end(), place);
               });
    // The units of a cone follow one another, and so do its executions.
    std::size_t first = 0;
    for (const std::size_t layer : stage.layers) {
        const std::vector<Cone>& cones = model_.quantum(layer).plan().cones;
        outputs_[layer] = Table(features_.rows, model_.quantum(layer).width());
        for (std::size_t c = 0; c < cones.size(); ++c) {
            const std::vector<int>& observables = cones[c].observables;
            const Executions& executions = executions_[layer][c];
            for (std::size_t r = 0; r < features_.rows; ++r)
                for (std::size_t j = 0; j < observables.size(); ++j)
                    outputs_[layer].row(r)[static_cast<std::size_t>(observables[j])] =
                        numbers[first + executions.of[r] * observables.size() + j];
            first += executions.samples.size() * observables.size();
        }
    }
}

void Pass::backward_quantum(const Stage& stage, std::span<ExactSums> parts) {
    const std::vector<Unit> units = backward_units(model_, stage, counts(), workers_.micro_batch);
    if (units.empty()) return;
    std::vector<std::vector<Table>> weights(model_.layers().size()); // per layer and cone
    bool exchange = false;
    for (const std::size_t layer : stage.layers) {
        if (!is_differentiated(model_, layer)) continue;
        exchange = exchange || model_.wiring(layer).needs_gradient;
        const std::vector<Cone>& cones = model_.quantum(layer).plan().cones;
        for (std::size_t c = 0; c < cones.size(); ++c)
            weights[layer].push_back(
                execution_weights(executions_[layer][c], cones[c].observables, upstream_[layer]));
    }
    const std::vector<double> numbers = spread(
        units, exchange,
        [&](const Unit& unit, std::span<const std::size_t> samples, std::span<double> derivatives,
            std::size_t worker, int threads) {
            const Quantum& quantum = model_.quantum(unit.layer);
            std::vector<std::vector<double>> upstream;
            upstream.reserve(samples.size());
            for (std::size_t e = unit.executions.first; e < unit.executions.last; ++e) {
                const auto row = std::as_const(weights[unit.layer][unit.cone]).row(e);
                upstream.emplace_back(row.begin(), row.end());
            }
            const ConeGradient gradient =
                quantum.differentiate(unit.cone, unit.blocks, samples, features_,
                                      inputs_[unit.layer], std::move(upstream), threads);
            quantum.add_gradient(unit.cone, gradient, parts[worker], model_.offset(unit.layer));
            if (derivatives.empty()) return;
            auto place = derivatives.begin();
            for (const std::vector<double>& varying : gradient.varying)
                for (const std::size_t symbol : quantum.uses()[unit.cone].inputs)
                    *place++ = varying[symbol];
        });
    if (exchange) pass_through(stage, units, numbers);
}

/// Adds up the derivatives in the inputs of a stage's layers and hands them on.
void Pass::pass_through(const Stage& stage, std::span<const Unit> units,
                        std::span<const double> numbers) {
    std::vector<Table> below(model_.layers().size());
    auto place = numbers.begin();
    for (const Unit& unit : units) {
        if (unit.numbers == 0) continue;
        const Quantum& quantum = model_.quantum(unit.layer);
        Table& table = below[unit.layer];
        if (table.rows == 0) table = Table(features_.rows, inputs_[unit.layer].width);
        // Executions of a driven layer are its samples.
        for (std::size_t r = unit.executions.first; r < unit.executions.last; ++r)
            for (const std::size_t symbol : quantum.uses()[unit.cone].inputs)
                table.row(r)[quantum.input_of(symbol)] += *place++;
    }
    for (const std::size_t layer : stage.layers)
        if (below[layer].rows > 0) pass_down(layer, below[layer]);
}

std::vector<Range> own_samples(std::size_t count, const Workers& workers) {
    const auto rank = static_cast<std::size_t>(workers.comm.rank());
    const auto ranks = static_cast<std::size_t>(workers.comm.size());
    const std::vector<Range> all = micro_batches(count, workers.micro_batch);
    std::vector<Range> own;
    for (std::size_t i = rank; i < all.size(); i += ranks) own.push_back(all[i]);
    return own;
}

Tally add_losses(const Loss& loss, const Table& outputs, const Table& labels,
                 const Workers& workers, ExactSums& sums, std::size_t index) {
    Tally tally;
    for (const Range& rows : own_samples(outputs.rows, workers))
        for (std::size_t r = rows.first; r < rows.last; ++r) {
            const auto output = outputs.row(r);
            const auto label = labels.row(r);
            sums.add(index, loss.value(output, label));
            if (loss.has_labels() && loss.correct(output, label)) ++tally.correct;
            ++tally.samples;
        }
    return tally;
}

Tally learn(const Model& model, const Loss& loss, const Table& features, const Table& labels,
            const Workers& workers, const std::string& what, std::span<ExactSums> parts) {
    Pass pass(model, features, workers, what);
    const Table& outputs = pass.forward();
    const Tally tally =
        add_losses(loss, outputs, labels, workers, parts.front(), model.parameters());
    Table upstream(outputs.rows, outputs.width);
    for (std::size_t r = 0; r < outputs.rows; ++r) {
        const auto derivative = loss.derivative(outputs.row(r), labels.row(r));
        std::copy(derivative.begin(), derivative.end(), upstream.row(r).begin());
    }
    pass.backward(std::move(upstream), parts);
    return tally;
}

} // namespace wavetrain
