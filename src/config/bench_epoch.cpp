/// An epoch of the headline's training.
#include "bench_epoch.hpp"

#include "wavetrain/config/assemble.hpp"
#include "wavetrain/train/batch.hpp"

#include <chrono>

namespace wavetrain {

Config headline_config(int qubits) {
    Config config;
    config.model.kind = "qcnn_hybrid";
    config.model.qubits = qubits;
    config.model.filters = 3;
    config.data.source = "excitations";
    config.data.rounds = qubits == 23 ? 44 : 11;
    config.data.train_count = 1000;
    config.train.epochs = 1;
    config.engine.precision = "single";
    return config;
}

double headline_epoch_seconds(int qubits, int threads) {
    const Config config = headline_config(qubits);
    SoloComm comm;
    const Assembly assembly = assemble(config, comm, threads);
    check_training_memory(assembly, comm);
    Workers workers{comm, threads, static_cast<std::size_t>(config.engine.micro_batch)};
    std::vector<double> parameters = initial_parameters(assembly);
    const std::vector<bool> trainable = assembly.model->trainable();
    Optimizer optimizer(config.optimizer, assembly.model->parameters());
    const auto batch = static_cast<std::size_t>(config.train.batch_size);
    const auto step = [&](std::span<const std::size_t> ids) {
        assembly.model->set_parameters(parameters);
        const StepResult result = learn_batch(*assembly.model, assembly.loss, assembly.training,
                                              ids, workers, "a step", StepFlags{});
        optimizer.update(parameters, result.gradient, trainable);
    };
    const std::size_t count = assembly.training.count();
    const std::vector<std::size_t> order = epoch_order(config.train, count, 1);
    step(std::span(order).first(batch));
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t first = 0; first < count; first += batch)
        step(std::span(order).subspan(first, std::min(batch, count - first)));
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

} // namespace wavetrain
