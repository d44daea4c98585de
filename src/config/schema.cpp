/// Every key of a config: name, member, choices or range.
#include "schema.hpp"

#include "wavetrain/base/text.hpp"

#include <algorithm>

namespace wavetrain {

namespace {

using Choices = std::vector<std::string>;

constexpr IntegerRange kCount{0};
constexpr IntegerRange kAtLeastOne{1};
constexpr RealRange kNotNegative{0};
constexpr RealRange kPositive{0, std::numeric_limits<double>::infinity(), true};
constexpr RealRange kDecay{0, 1, false, true};

Key base_key(const std::string& name, Member member) {
    Key key;
    key.name = name;
    key.member = member;
    return key;
}

Key flag(const std::string& name, bool& member) { return base_key(name, &member); }

template <class Integer> Key integer(const std::string& name, Integer& member, IntegerRange range) {
    Key key = base_key(name, &member);
    key.integers = range;
    return key;
}

Key real(const std::string& name, double& member, RealRange range) {
    Key key = base_key(name, &member);
    key.reals = range;
    return key;
}

Key choice(const std::string& name, std::string& member, Choices choices) {
    Key key = base_key(name, &member);
    key.choices = std::move(choices);
    key.written = !member.empty();
    return key;
}

Key text(const std::string& name, std::string& member) {
    Key key = base_key(name, &member);
    key.written = !member.empty();
    return key;
}

Key path(const std::string& name, std::string& member) {
    Key key = text(name, member);
    key.is_path = true;
    return key;
}

template <class Container> Key several(const std::string& name, Container& member) {
    Key key = base_key(name, &member);
    key.written = !member.empty();
    return key;
}

Key only_for(Choices types, Key key) {
    key.layer_types = std::move(types);
    return key;
}

Table describe_model(ModelOptions& model) {
    Table table{"model",
                {choice("kind", model.kind, {"qcnn", "qcnn_hybrid", "layers"}),
                 integer("qubits", model.qubits, {1, 1'000'000}),
                 integer("filters", model.filters, {1, 10'000}),
                 choice("variant", model.variant, {"tutorial", "tfq-multiworker"})}};
    // Only the ready-made kinds have these.
    for (Key& key : table.keys)
        if (key.name == "filters" || key.name == "variant")
            key.written = model.kind != "layers" && model.layers.empty();
    return table;
}

Table describe_data(DataOptions& data) {
    Table table{"data",
                {choice("source", data.source, {"excitations", "csv", "hdf5"}),
                 path("file", data.file), integer("rounds", data.rounds, kAtLeastOne),
                 real("train_fraction", data.train_fraction, {0, 1, true, false}),
                 integer("train_count", data.train_count, kAtLeastOne),
                 integer("seed", data.seed, kCount)}};
    for (Key& key : table.keys)
        if (key.name == "train_count") key.written = data.train_count >= 0;
    return table;
}

Table describe_train(TrainOptions& train) {
    Key weights = path("initial_weights", train.initial_weights);
    weights.written = true;
    return {"train",
            {integer("epochs", train.epochs, kCount),
             integer("batch_size", train.batch_size, kAtLeastOne), flag("shuffle", train.shuffle),
             integer("seed", train.seed, kCount),
             choice("loss", train.loss,
                    {"mse", "mae", "hinge", "binary_crossentropy", "categorical_crossentropy",
                     "sparse_categorical_crossentropy", "expectation"}),
             weights, real("clip_norm", train.clip_norm, kNotNegative),
             integer("early_stopping_patience", train.early_stopping_patience, kCount),
             integer("log_every_steps", train.log_every_steps, kCount),
             flag("log_order", train.log_order)}};
}

Table describe_optimizer(OptimizerOptions& optimizer) {
    return {"optimizer",
            {choice("name", optimizer.name, {"sgd", "adam", "adamw", "rmsprop", "adagrad"}),
             real("learning_rate", optimizer.learning_rate, kPositive),
             real("beta_1", optimizer.beta_1, kDecay), real("beta_2", optimizer.beta_2, kDecay),
             real("epsilon", optimizer.epsilon, kPositive),
             real("momentum", optimizer.momentum, kDecay), flag("nesterov", optimizer.nesterov),
             real("weight_decay", optimizer.weight_decay, kNotNegative),
             real("rho", optimizer.rho, kDecay)}};
}

Table describe_schedule(ScheduleOptions& schedule) {
    return {"optimizer.schedule",
            {choice("kind", schedule.kind, {"constant", "exponential", "cosine"}),
             integer("warmup_steps", schedule.warmup_steps, kCount),
             integer("decay_steps", schedule.decay_steps, kCount),
             real("decay_rate", schedule.decay_rate, kPositive)}};
}

Table describe_engine(EngineOptions& engine) {
    const Choices switches{"auto", "on", "off"};
    Key threads = integer("threads", engine.threads, {0, 1'000'000});
    threads.training = false;
    return {"engine",
            {choice("precision", engine.precision, {"double", "single"}),
             choice("execution", engine.execution, {"compiled", "eager"}), threads,
             integer("shards", engine.shards, kAtLeastOne),
             integer("micro_batch", engine.micro_batch, kAtLeastOne),
             choice("fusion", engine.fusion, switches),
             choice("light_cones", engine.light_cones, switches),
             choice("lanes", engine.lanes, switches),
             choice("late_qubits", engine.late_qubits, switches),
             choice("deduplicate", engine.deduplicate, switches),
             integer("piece_amplitudes", engine.piece_amplitudes, kCount),
             choice("simd", engine.simd, {"auto", "scalar", "sse4", "avx2", "avx512", "neon"})}};
}

/// A table of which nothing changes what is trained.
Table aside(std::string name, std::vector<Key> keys) {
    for (Key& key : keys) key.training = false;
    return {std::move(name), std::move(keys)};
}

} // namespace

std::vector<Table> describe(Config& config) {
    return {
        describe_model(config.model),
        describe_data(config.data),
        describe_train(config.train),
        describe_optimizer(config.optimizer),
        describe_schedule(config.optimizer.schedule),
        describe_engine(config.engine),
        {"gradient",
         {choice("method", config.gradient.method,
                 {"auto", "adjoint", "parameter_shift", "finite_difference"})}},
        aside("comm", {real("timeout_seconds", config.comm.timeout_seconds, kNotNegative)}),
        aside("checkpoint", {integer("every_steps", config.checkpoint.every_steps, kCount),
                             real("every_seconds", config.checkpoint.every_seconds, kNotNegative),
                             integer("keep", config.checkpoint.keep, kAtLeastOne)}),
        aside("telemetry", {}),
        aside("output", {text("folder", config.output.folder)})};
}

std::vector<Key> describe_layer(LayerSpec& layer) {
    return {choice("type", layer.type, {"quantum", "concatenate", "dense"}),
            text("name", layer.name),
            only_for({"quantum"}, text("circuit", layer.circuit)),
            only_for({"quantum"}, path("file", layer.file)),
            only_for({"quantum"}, text("source", layer.source)),
            only_for({"quantum"}, several("included", layer.included)),
            only_for({"quantum"}, several("options", layer.options)),
            only_for({"quantum"}, several("data", layer.data)),
            several("inputs", layer.inputs),
            only_for({"quantum"}, several("observables", layer.observables)),
            only_for({"quantum", "dense"},
                     choice("initializer", layer.initializer,
                            {"uniform_2pi", "zeros", "normal", "glorot_uniform"})),
            only_for({"quantum", "dense"}, flag("trainable", layer.trainable)),
            only_for({"dense"}, integer("units", layer.units, {1, 1'000'000'000})),
            only_for({"dense"}, choice("activation", layer.activation,
                                       {"linear", "tanh", "relu", "sigmoid", "softmax"}))};
}

bool belongs_to(const Key& key, const std::string& layer_type) {
    return key.layer_types.empty() || std::find(key.layer_types.begin(), key.layer_types.end(),
                                                layer_type) != key.layer_types.end();
}

std::string range_text(const IntegerRange& range) {
    if (range.most == std::numeric_limits<std::int64_t>::max())
        return format("at least {}", range.least);
    return format("from {} to {}", range.least, range.most);
}

std::string range_text(const RealRange& range) {
    const std::string low =
        format("{} {}", range.least_open ? "above" : "at least", shortest(range.least));
    if (range.most == std::numeric_limits<double>::infinity()) return low;
    return format("{} and {} {}", low, range.most_open ? "below" : "at most", shortest(range.most));
}

} // namespace wavetrain
