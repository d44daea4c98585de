/// Forecasts from plans.
#include "wavetrain/config/forecast.hpp"

#include "wavetrain/base/machine.hpp"
#include "wavetrain/circuit/qasm.hpp"
#include "wavetrain/compile/cost.hpp"
#include "wavetrain/config/assemble.hpp"

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

void set_bytes(Forecast& forecast, int qubits, Precision precision, int states, int threads) {
    const auto workers = static_cast<double>(states) * threads;
    forecast.bytes =
        std::max(forecast.bytes,
                 std::exp2(qubits) * static_cast<double>(amplitude_bytes(precision)) * workers);
    forecast.bytes_per_rank = forecast.bytes < std::exp2(63)
                                  ? grouped(static_cast<std::uint64_t>(forecast.bytes))
                                  : format("2^{:.0f}", std::ceil(std::log2(forecast.bytes)));
}

/// Cones of one layer that look alike share a row.
void add_execution(Forecast& forecast, const Execution& execution) {
    for (Execution& row : forecast.executions)
        if (row.layer == execution.layer && row.qubits == execution.qubits &&
            row.method == execution.method && row.blocks == execution.blocks) {
            row.count += execution.count;
            return;
        }
    forecast.executions.push_back(execution);
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
    const char* kind = block.kind == Block::Kind::matrix ? "matrix" : "Pauli rotation";
    return format("    {} on positions{}{}{}: {}\n", kind, positions,
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
    const auto training = static_cast<double>(rows);
    const auto validation = static_cast<double>(data.samples - rows);
    for (const auto& layer : model->layers()) {
        const auto* quantum = dynamic_cast<const Quantum*>(layer.get());
        if (!quantum) continue;
        const Plan& plan = quantum->plan();
        forecast.plans.push_back(format("layer '{}':\n{}", layer->name(), plan_text(plan)));
        set_bytes(forecast, largest_state(plan), precision, states_of(method), threads);
        for (const Cone& cone : plan.cones) {
            const int qubits = static_cast<int>(cone.layout.size());
            add_execution(forecast, {layer->name(), qubits, training,
                                     std::string(method_name(method)), cone.blocks.size()});
            add_execution(forecast, {layer->name(), qubits, training + validation, "forward",
                                     cone.blocks.size()});
            forecast.flops += training * method_flops(plan, cone, method) +
                              (training + validation) * forward_flops(cone);
        }
    }
    const double steps = std::ceil(training / static_cast<double>(config.train.batch_size));
    // One sum a step; validation, its metrics and the hash of the weights once an epoch.
    forecast.messages = ranks > 1 ? steps + (validation > 0 ? 1 : 0) + 2 : 0;
    const double units = std::ceil(static_cast<double>(std::min<std::int64_t>(
                                       config.train.batch_size, static_cast<std::int64_t>(rows))) /
                                   static_cast<double>(config.engine.micro_batch));
    forecast.seconds =
        forecast.flops / kFlopsPerSecond / std::min(units, static_cast<double>(ranks) * threads);
    return forecast;
}

Forecast forecast_circuit(const std::string& file, int ranks) {
    const Circuit circuit = parse_qasm(read_text_file(file), file);
    const Plan plan = compile(circuit, {}, std::vector<bool>(circuit.symbols.size(), false),
                              {.fusion = "auto", .light_cones = "off", .eager = false});
    Forecast forecast;
    forecast.ranks = ranks;
    set_bytes(forecast, largest_state(plan), Precision::double_precision, 1, 1);
    const Cone& cone = plan.cones.front();
    forecast.executions.push_back(
        {"", static_cast<int>(cone.layout.size()), 1, "forward", cone.blocks.size()});
    forecast.flops = forward_flops(cone);
    forecast.seconds = forecast.flops / kFlopsPerSecond;
    forecast.plans.push_back(plan_text(plan));
    return forecast;
}

} // namespace wavetrain
