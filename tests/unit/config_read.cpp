/// Configs: documented defaults, round trips, --set, paths, layers written out.
#include "catch.hpp"
#include "scratch.hpp"

#include "../../src/config/bench_epoch.hpp"
#include "../../src/config/schema.hpp"

#include "wavetrain/base/error.hpp"
#include "wavetrain/config/config.hpp"
#include "wavetrain/io/atomic_file.hpp"

#include <filesystem>

using namespace wavetrain;

namespace {

/// The documented example: every key with its default (kind, source and folder have none).
const std::string kDocumented = R"toml(
[model]
kind = "qcnn_hybrid"
qubits = 8
filters = 1
variant = "tutorial"

[data]
source = "excitations"
rounds = 20
train_fraction = 0.7
seed = 1

[train]
epochs = 50
batch_size = 32
shuffle = true
seed = 1
loss = "mse"
initial_weights = ""
clip_norm = 0.0
early_stopping_patience = 0
log_every_steps = 0
log_order = false

[optimizer]
name = "adam"
learning_rate = 0.02
beta_1 = 0.9
beta_2 = 0.999
epsilon = 1e-7

[optimizer.schedule]
kind = "constant"
warmup_steps = 0
decay_steps = 0
decay_rate = 1.0

[engine]
precision = "double"
execution = "compiled"
threads = 0
shards = 1
micro_batch = 8
fusion = "auto"
light_cones = "auto"
lanes = "auto"
late_qubits = "auto"
deduplicate = "auto"
piece_amplitudes = 0
simd = "auto"

[gradient]
method = "auto"

[comm]
timeout_seconds = 300

[checkpoint]
every_steps = 0
every_seconds = 300
keep = 3

[output]
folder = "runs/qcnn_hybrid"
)toml";

const std::string kLayers = R"toml(
[[model.layers]]
type = "quantum"
name = "filter_1"
circuit = "qcnn_layer"
options = { variant = "tutorial", depth = 2, scale = 1.0, deep = true }
data = { x = "column_x", w = ["a", "b"], "odd name" = "c" }
observables = ["Z4", "0.5*X6*Z7 + 0.25"]
initializer = "uniform_2pi"
trainable = false
[[model.layers]]
type = "concatenate"
inputs = ["filter_1"]
[[model.layers]]
type = "dense"
units = 8
activation = "tanh"
)toml";

std::string text_of(const Config& config) { return config_text(config, ConfigPart::everything); }

Config parse(const std::string& text, const std::vector<std::string>& sets = {}) {
    return parse_config(text, "test.toml", sets);
}

/// Another valid value for a key, in TOML.
std::string other_value(const Key& key) {
    if (const auto* flag = std::get_if<bool*>(&key.member)) return **flag ? "false" : "true";
    if (std::holds_alternative<double*>(key.member)) return "0.125";
    if (key.is_text() && !key.choices.empty()) return "\"" + key.choices.back() + "\"";
    if (key.is_text()) return "\"/other\"";
    return "7";
}

} // namespace

TEST_CASE("config: the documented defaults are the defaults of the options", "[config]") {
    Config defaults;
    defaults.model.kind = "qcnn_hybrid";
    defaults.data.source = "excitations";
    defaults.output.folder = "runs/qcnn_hybrid";
    CHECK(text_of(parse(kDocumented)) == text_of(defaults));
    CHECK(text_of(parse("")) == text_of(Config{}));
}

TEST_CASE("config: every key of every table can be set and is written back", "[config]") {
    Config all;
    for (const Table& table : describe(all)) {
        for (const Key& key : table.keys) {
            const std::string name = table.name + "." + key.name;
            std::vector<std::string> sets{name + "=" + other_value(key)};
            // Keys that make sense only together with another one.
            if (name == "model.kind") sets.push_back("model.layers=[{type='dense',units=1}]");
            if (name == "data.source") sets.push_back("data.file=/other");
            if (name == "optimizer.schedule.kind")
                sets.push_back("optimizer.schedule.decay_steps=7");
            INFO(name << " = " << other_value(key));
            const Config changed = parse("", sets);
            const auto keys = changed_keys(Config{}, changed, ConfigPart::everything);
            CHECK(std::find(keys.begin(), keys.end(), name) != keys.end());
            CHECK(text_of(changed).find("\n" + key.name + " = " + other_value(key)) !=
                  std::string::npos);
            CHECK(text_of(parse(text_of(changed))) == text_of(changed));
            CHECK(changed_keys(changed, parse(text_of(changed)), ConfigPart::everything).empty());

            const std::string file =
                "[" + table.name + "]\n" + sets[0].substr(table.name.size() + 1);
            if (sets.size() == 1) CHECK(text_of(parse(file)) == text_of(changed));
        }
    }
}

TEST_CASE("config: layers written out are read and written back", "[config]") {
    const Config config = parse(kLayers);
    CHECK(config.model.kind == "layers");
    REQUIRE(config.model.layers.size() == 3);
    const LayerSpec& quantum = config.model.layers[0];
    CHECK(quantum.type == "quantum");
    CHECK(quantum.name == "filter_1");
    CHECK(quantum.circuit == "qcnn_layer");
    CHECK(quantum.options == OptionMap{{"variant", std::string("tutorial")},
                                       {"depth", std::int64_t{2}},
                                       {"scale", 1.0},
                                       {"deep", true}});
    CHECK(quantum.data == std::map<std::string, std::vector<std::string>>{
                              {"x", {"column_x"}}, {"w", {"a", "b"}}, {"odd name", {"c"}}});
    CHECK(quantum.observables == std::vector<std::string>{"Z4", "0.5*X6*Z7 + 0.25"});
    CHECK(quantum.initializer == "uniform_2pi");
    CHECK_FALSE(quantum.trainable);
    CHECK(quantum.place == Place{"test.toml", 2, 1});
    CHECK(config.model.layers[1].inputs == std::vector<std::string>{"filter_1"});
    CHECK(config.model.layers[2].units == 8);
    CHECK(config.model.layers[2].activation == "tanh");
    CHECK(config.model.layers[2].trainable);

    const Config again = parse(text_of(config));
    CHECK(text_of(again) == text_of(config));
    CHECK(again.model.layers[0].options == quantum.options);
    CHECK(again.model.layers[0].data == quantum.data);
    CHECK(changed_keys(config, again, ConfigPart::everything).empty());
}

TEST_CASE("config: circuit files are read into the layer and written with it", "[config]") {
    const test::Scratch scratch;
    const std::string circuit = "OPENQASM 3;\n// \"quoted\" \\ and \xc3\xa9\r\n\tqubit[2] q;\n\n";
    create_folders(scratch.path("circuits"));
    replace_text(scratch.path("circuits/my.qasm"), circuit);
    replace_text(scratch.path("run.toml"), "[[model.layers]]\ntype = \"quantum\"\n"
                                           "file = \"circuits/my.qasm\"\nobservables = [\"Z0\"]\n");
    const Config config = load_config(scratch.path("run.toml"), {});
    CHECK(config.model.layers[0].file == scratch.path("circuits/my.qasm"));
    CHECK(config.model.layers[0].source == circuit);
    // Once written, the text no longer depends on the file.
    const std::string text = config_text(config, ConfigPart::training);
    remove_path(scratch.path("circuits"));
    CHECK(parse(text).model.layers[0].source == circuit);
    try {
        (void)load_config(scratch.path("run.toml"), {});
        FAIL("a missing circuit file was accepted");
    } catch (const Error& error) {
        CHECK(error.kind() == Kind::environment);
        CHECK(std::string(error.what()).find("circuits/my.qasm") != std::string::npos);
    }
}

TEST_CASE("config: paths are taken from the config's folder, with --set from here", "[config]") {
    const std::string text = "data = { source = 'csv', file = '../a.csv' }\n"
                             "train = { initial_weights = 'w.h5' }\noutput = { folder = 'run' }\n";
    Config config = parse_config(text, "configs/deep/x.toml", {});
    CHECK(config.data.file == "configs/a.csv");
    CHECK(config.train.initial_weights == "configs/deep/w.h5");
    CHECK(config.output.folder == "run");
    config = parse_config(text, "configs/x.toml", {"data.file=../b.csv", "output.folder=other"});
    CHECK(config.data.file == "../b.csv");
    CHECK(config.output.folder == "other");
    CHECK(parse_config(text, "weights", {}).data.file == "../a.csv");
    config = parse_config("data = { source = 'csv', file = '/a.csv' }", "configs/x.toml", {});
    CHECK(config.data.file == "/a.csv");
}

TEST_CASE("config: letters of any script, wherever TOML has white space", "[config]") {
    // One of each kind that toml++ tells apart, spaces of Unicode among them.
    for (const std::string letter : {"é", "ж", "\u1681", "\u2010", "の", "\uFB26", "\uFEFE", "𝛑",
                                     "\u00A0", "\u1680", "\u2003", "\u3000"}) {
        const std::string text = "output.folder = \"\"\"a\\\n  " + letter + "b\"\"\"\n";
        CHECK(parse_config(text, "x.toml", {}).output.folder == "a" + letter + "b");
        for (const std::string& bad : {letter, "[" + letter, "a = " + letter, "a = 1" + letter,
                                       "a = \"\"\"\\" + letter + "\n\"\"\"", "[[\"\"" + letter})
            CHECK_THROWS_AS(parse_config(bad + "\n", "x.toml", {}), Error);
    }
}

TEST_CASE("config: a text that will lie elsewhere names the same files from there", "[config]") {
    Config config;
    config.data.source = "csv";
    config.data.file = "data/a.csv";
    config.train.initial_weights = "/w.h5";
    const std::string text = config_text(config, ConfigPart::everything, "runs/one");
    CHECK(text.find("file = \"../../data/a.csv\"") != std::string::npos);
    CHECK(text.find("initial_weights = \"/w.h5\"") != std::string::npos);
    CHECK(parse_config(text, "runs/one/config.toml", {}).data.file == "data/a.csv");
}

TEST_CASE("config: the training part holds nothing of the run's surroundings", "[config]") {
    Config config = parse(kDocumented);
    const std::string text = config_text(config, ConfigPart::training);
    for (const std::string table : {"[comm]", "[checkpoint]", "[output]", "threads"})
        CHECK(text.find(table) == std::string::npos);
    CHECK(text.find("shards = 1") != std::string::npos);

    const Config before = config;
    config.engine.threads = 3;
    config.comm.timeout_seconds = 1;
    config.checkpoint.keep = 9;
    config.output.folder = "elsewhere";
    CHECK(config_text(config, ConfigPart::training) == text);
    CHECK(changed_keys(before, config, ConfigPart::training).empty());
    CHECK(changed_keys(before, config, ConfigPart::everything) ==
          std::vector<std::string>{"engine.threads", "comm.timeout_seconds", "checkpoint.keep",
                                   "output.folder"});
    config.train.epochs = 51;
    config.data.train_count = 5;
    CHECK(changed_keys(before, config, ConfigPart::training) ==
          std::vector<std::string>{"data.train_count", "train.epochs"});

    Config layers = parse(kLayers);
    Config other = layers;
    other.model.layers[2].units = 9;
    CHECK(changed_keys(layers, other, ConfigPart::training) ==
          std::vector<std::string>{"model.layers[2].units"});
    other.model.layers.pop_back();
    CHECK(changed_keys(layers, other, ConfigPart::training) ==
          std::vector<std::string>{"model.layers"});
}

TEST_CASE("config: --set overrides, creates tables, leaves out quotes of strings", "[config]") {
    const Config config =
        parse(kDocumented, {"train.epochs=3", "optimizer.learning_rate = 1", "train.shuffle=false",
                            "train.loss=mae", "engine.light_cones=\"off\"", "output.folder=42",
                            "optimizer.schedule={kind='cosine', decay_steps=5}", "train.epochs=4",
                            "data.train_count=7"});
    CHECK(config.train.epochs == 4);
    CHECK(config.optimizer.learning_rate == 1.0);
    CHECK_FALSE(config.train.shuffle);
    CHECK(config.train.loss == "mae");
    CHECK(config.engine.light_cones == "off");
    CHECK(config.output.folder == "42");
    CHECK(config.optimizer.schedule.kind == "cosine");
    CHECK(config.optimizer.schedule.decay_steps == 5);
    CHECK(config.data.train_count == 7);
    CHECK(parse("", {"output.folder='a=b'"}).output.folder == "a=b");
    CHECK(parse("", {"output.folder=a = b"}).output.folder == "a = b");
    CHECK(parse("", {"data.seed=9223372036854775807"}).data.seed == 9223372036854775807U);
}

TEST_CASE("config: --set reaches into layers", "[config]") {
    const Config config = parse(
        kLayers, {"model.layers[2].units=5", "model.layers[0].circuit=other",
                  "model.layers[0].observables=[\"X0\"]", "model.layers[0].options.depth=3",
                  "model.layers[0].data.x=column_y", "model.layers[1].inputs[0]=\"filter_9\""});
    CHECK(config.model.layers[2].units == 5);
    CHECK(config.model.layers[0].circuit == "other");
    CHECK(config.model.layers[0].observables == std::vector<std::string>{"X0"});
    CHECK(std::get<std::int64_t>(config.model.layers[0].options.at("depth")) == 3);
    CHECK(config.model.layers[0].data.at("x") == std::vector<std::string>{"column_y"});
    CHECK(config.model.layers[1].inputs == std::vector<std::string>{"filter_9"});
}

TEST_CASE("config: integers are fine where floats are needed", "[config]") {
    CHECK(parse("train = { clip_norm = 2 }").train.clip_norm == 2.0);
    CHECK(parse("\xef\xbb\xbf[train]\r\nepochs = 0\r\n").train.epochs == 0);
}

TEST_CASE("config: the headline that is timed is that of the config files", "[config]") {
    for (const int qubits : {23, 100}) {
        const Config file =
            load_config(format("{}/configs/headline_{}q.toml", WAVETRAIN_SOURCE_DIR, qubits), {});
        CHECK(config_text(headline_config(qubits), ConfigPart::training) ==
              config_text(file, ConfigPart::training));
    }
}

TEST_CASE("config: the example configs are read", "[config]") {
    const std::filesystem::path folder = std::filesystem::path(WAVETRAIN_SOURCE_DIR) / "configs";
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() != ".toml") continue;
        INFO(entry.path().string());
        CHECK_NOTHROW(load_config(entry.path().string(), {}));
    }
}
