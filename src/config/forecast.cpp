/// Forecasts from plans.
#include "wavetrain/config/forecast.hpp"

#include "wavetrain/circuit/qasm.hpp"
#include "wavetrain/compile/cost.hpp"
#include "wavetrain/config/assemble.hpp"
#include "wavetrain/model/stage_units.hpp"

#include <algorithm>
#include <cmath>

namespace wavetrain {
namespace {

double method_flops(const Plan& plan, const Cone& cone, Method method) {
    switch (method) {
    case Method::parameter_shift: return shift_flops(plan, cone);
    case Method::finite_difference:
        return 4.0 * static_cast<double>(plan.circuit.symbols.size()) * forward_flops(cone);
    case Method::adjoint: break;
    }
    return adjoint_flops(cone);
}

/// Cones of one layer that look alike share a row.
void add_execution(Forecast& forecast, const Execution& execution) {
    for (Execution& row : forecast.executions)
        if (row.layer == execution.layer && row.qubits == execution.qubits &&
            row.method == execution.method && row.blocks == execution.blocks) {
            row.count += execution.count;
            row.units += execution.units;
            return;
        }
    forecast.executions.push_back(execution);
}

/// How much there is of one cone in an epoch.
struct Work {
    double executions = 0;
    double micro_batches = 0;

    void add(std::size_t count, std::size_t micro_batch) {
        executions += static_cast<double>(count);
        micro_batches += static_cast<double>((count + micro_batch - 1) / micro_batch);
    }
};

/// The features of each step of the first epoch.
std::vector<Table> epoch_batches(const Table& training, const TrainOptions& options) {
    const std::vector<std::size_t> order = epoch_order(options, training.rows, 1);
    std::vector<Table> batches;
    for (const Range& rows :
         micro_batches(training.rows, static_cast<std::size_t>(options.batch_size)))
        batches.push_back(take_rows(training, std::span(order).subspan(rows.first, rows.size())));
    return batches;
}

/// Exchanges of a step between ranks: of readouts and of derivatives in a circuit's inputs.
struct Exchanges {
    double forward = 0;
    double backward = 0;
};

Exchanges exchanges_of(const Model& model) {
    Exchanges exchanges;
    for (const Stage& stage : model.stages()) {
        if (!stage.quantum) continue;
        exchanges.forward += 1;
        if (std::any_of(stage.layers.begin(), stage.layers.end(),
                        [&](std::size_t layer) { return model.wiring(layer).needs_gradient; }))
            exchanges.backward += 1;
    }
    return exchanges;
}

std::string block_text(const Plan& plan, const Cone& cone, const Block& block) {
    std::string gates;
    for (int index : block.operations) {
        const Operation& operation = plan.circuit.operations[static_cast<std::size_t>(index)];
        gates += (gates.empty() ? "" : " ") + operation_name(operation);
    }
    std::string positions;
    for (Position p : block.targets)
        positions +=
            format(" {}(q{})", p.index, cone.layout[static_cast<std::size_t>(p.index)].index);
    std::string flips;
    for (const Flip& flip : block.flips)
        flips +=
            format(", position {} flipped by {}",
                   block.targets[static_cast<std::size_t>(flip.target)].index, flip.control.index);
    const char* kind = block.kind == Block::Kind::matrix  ? "matrix"
                       : block.kind == Block::Kind::enter ? "entry"
                                                          : "Pauli rotation";
    return format("    {} on positions{}{}{}{}: {}\n", kind, positions, flips,
                  block.control_mask != 0
                      ? format(", controls {:#x}={:#x}", block.control_mask, block.control_value)
                      : "",
                  block.varying ? ", per sample" : "", gates);
}

} // namespace

std::string plan_text(const Plan& plan) {
    std::string text;
    for (const Cone& cone : plan.cones) {
        std::string names;
        for (int j : cone.observables)
            names += (names.empty() ? "" : ", ") +
                     pauli_text(plan.observables[static_cast<std::size_t>(j)]);
        text += format("  state of {} qubits, {} blocks, for: {}\n", cone.layout.size(),
                       cone.blocks.size(), names.empty() ? "amplitudes" : names);
        for (const Block& block : cone.blocks) text += block_text(plan, cone, block);
    }
    return text;
}

Forecast forecast_config(const Config& config, int ranks, int threads) {
    check_offered(config);
    Dataset data;
    data.samples = 1;
    if (!config.data.source.empty())
        data = make_dataset(config.data, static_cast<int>(config.model.qubits));
    const std::size_t rows = config.data.source.empty() ? 1 : train_rows(config.data, data.samples);
    const std::unique_ptr<Model> model = build_model(config, data.columns);
    const Precision precision = precision_of(config.engine.precision);
    const Method method = method_of(config.gradient.method);
    Forecast forecast;
    forecast.ranks = ranks;
    forecast.threads = threads;
    const auto features = [&](std::size_t first, std::size_t count) {
        return take_samples(data, data.columns, first, count, "the data").features;
    };
    const std::vector<Table> steps = epoch_batches(features(0, rows), config.train);
    const Table validation = features(rows, data.samples - rows);
    const auto micro_batch = static_cast<std::size_t>(config.engine.micro_batch);
    double units = 0; // of all steps, forwards
    for (const auto& layer : model->layers()) {
        const auto* quantum = dynamic_cast<const Quantum*>(layer.get());
        if (!quantum) continue;
        const Plan& plan = quantum->plan();
        forecast.plans.push_back(format("layer '{}':\n{}", layer->name(), plan_text(plan)));
        check_addressable(plan, precision);
        for (std::size_t c = 0; c < plan.cones.size(); ++c) {
            const Cone& cone = plan.cones[c];
            const auto ranges = static_cast<double>(quantum->uses()[c].ranges.size());
            Work work;
            for (const Table& batch : steps)
                work.add(count_executions(*quantum, c, batch), micro_batch);
            units += work.micro_batches;
            const int qubits = static_cast<int>(cone.layout.size());
            if (ranges > 0) {
                add_execution(forecast, {layer->name(), qubits, work.executions,
                                         std::string(method_name(method)), cone.blocks.size(),
                                         work.micro_batches * ranges});
                forecast.flops += work.executions * method_flops(plan, cone, method);
            }
            if (validation.rows > 0)
                work.add(count_executions(*quantum, c, validation), micro_batch);
            add_execution(forecast, {layer->name(), qubits, work.executions, "forward",
                                     cone.blocks.size(), work.micro_batches});
            forecast.flops += work.executions * forward_flops(cone);
        }
    }
    const auto needed = [&](const Table& rows_of, std::size_t batch, bool gradients) {
        const std::vector<double> bytes =
            pass_bytes(*model, most_executions(*model, rows_of, batch), ranks, threads, micro_batch,
                       gradients);
        forecast.bytes = std::max(forecast.bytes, *std::max_element(bytes.begin(), bytes.end()));
    };
    needed(features(0, rows), static_cast<std::size_t>(config.train.batch_size), true);
    needed(validation, validation.rows, false);
    // A step exchanges readouts and derivatives and ends with one sum; so does validation, without
    // derivatives. Metrics and the hash of the weights travel once an epoch.
    const Exchanges exchanges = exchanges_of(*model);
    const auto step_count = static_cast<double>(steps.size());
    if (ranks > 1)
        forecast.messages = step_count * (exchanges.forward + exchanges.backward + 1) +
                            (validation.rows > 0 ? exchanges.forward + 1 : 0) + 2;
    const double at_once = units / (step_count * std::max(exchanges.forward, 1.0));
    forecast.seconds = forecast.flops / kFlopsPerSecond /
                       std::clamp(at_once, 1.0, static_cast<double>(ranks) * threads);
    return forecast;
}

Forecast forecast_circuit(const std::string& file, int ranks) {
    const Circuit circuit = parse_qasm(read_text_file(file), file);
    const Plan plan = compile(circuit, {}, std::vector<bool>(circuit.symbols.size(), false),
                              {.fusion = "auto", .light_cones = "off", .eager = false});
    check_addressable(plan, Precision::double_precision);
    Forecast forecast;
    forecast.ranks = ranks;
    forecast.bytes = static_cast<double>(plan_bytes(plan, Precision::double_precision, 1, 1));
    const Cone& cone = plan.cones.front();
    forecast.executions.push_back(
        {"", static_cast<int>(cone.layout.size()), 1, "forward", cone.blocks.size(), 1});
    forecast.flops = forward_flops(cone);
    forecast.seconds = forecast.flops / kFlopsPerSecond;
    forecast.plans.push_back(plan_text(plan));
    return forecast;
}

} // namespace wavetrain
