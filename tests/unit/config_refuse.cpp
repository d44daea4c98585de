/// Configs that are refused: the message, the place and the kind of each mistake.
#include "catch.hpp"
#include "scratch.hpp"

#include "../../src/config/schema.hpp"

#include "wavetrain/base/error.hpp"
#include "wavetrain/config/config.hpp"
#include "wavetrain/io/atomic_file.hpp"

using namespace wavetrain;

namespace {

/// The message with which a text is refused, always as a usage error.
std::string refusal(const std::string& text, const std::vector<std::string>& sets = {}) {
    try {
        (void)parse_config(text, "a.toml", sets);
    } catch (const Error& error) {
        CHECK(error.kind() == Kind::usage);
        return error.what();
    }
    return "accepted";
}

std::string set_refusal(const std::string& set) { return refusal("", {set}); }

/// A layer table after a header line, so that its keys begin at line 3.
std::string layer(const std::string& keys) { return "\n[[model.layers]]\n" + keys; }

} // namespace

TEST_CASE("config: unknown keys and tables are refused with the nearest known one", "[config]") {
    CHECK(refusal("[train]\nepoch = 3\n") ==
          "a.toml:2:1: unknown key 'train.epoch' (did you mean 'epochs'?)");
    CHECK(refusal("[train]\n  bananas = 3\n") == "a.toml:2:3: unknown key 'train.bananas'");
    CHECK(refusal("[trian]\nepochs = 3\n") ==
          "a.toml:1:2: unknown table 'trian' (did you mean 'train'?)");
    CHECK(refusal("epochs = 3\n") ==
          "a.toml:1:1: unknown key 'epochs' (did you mean 'train.epochs'?)");
    CHECK(refusal("[optimizer.shedule]\nkind = 'cosine'\n") ==
          "a.toml:1:12: unknown table 'optimizer.shedule' (did you mean 'schedule'?)");
    CHECK(refusal("[optimizer.schedule]\nkid = 'cosine'\n") ==
          "a.toml:2:1: unknown key 'optimizer.schedule.kid' (did you mean 'kind'?)");
    CHECK(refusal("[telemetry]\nport = 1\n") == "a.toml:2:1: unknown key 'telemetry.port'");
    CHECK(refusal("[telemetry]\n") == "accepted");
    CHECK(refusal(layer("type = 'dense'\nunit = 3\n")) ==
          "a.toml:4:1: unknown key 'model.layers[0].unit' (did you mean 'units'?)");
    CHECK(refusal("[model]\nlayer = 3\n") ==
          "a.toml:2:1: unknown key 'model.layer' (did you mean 'layers'?)");
    // The first mistake in the order of the text, not of the alphabet.
    CHECK(refusal("[train]\nzzz = 1\naaa = 2\n") == "a.toml:2:1: unknown key 'train.zzz'");
}

TEST_CASE("config: what is no TOML is refused with its place", "[config]") {
    const std::string broken = refusal("[train]\nepochs = \n");
    CHECK(broken.starts_with("a.toml:2:"));
    CHECK(refusal("[train]\nepochs = 1\nepochs = 2\n").starts_with("a.toml:3:"));
    CHECK(refusal("[train]\n[train]\n").starts_with("a.toml:2:"));
    CHECK(refusal("[train\n").starts_with("a.toml:1:"));
    CHECK(refusal("[train]\nepochs = 99999999999999999999\n").starts_with("a.toml:2:"));
    CHECK(refusal(std::string("\x89HDF\r\n\x1a\n", 8)).starts_with("a.toml:1:"));
}

TEST_CASE("config: values of a wrong type are refused", "[config]") {
    CHECK(refusal("[train]\nepochs = 1.0\n") ==
          "a.toml:2:1: 'train.epochs' must be an integer, not a float");
    CHECK(refusal("[train]\nepochs = '3'\n") ==
          "a.toml:2:1: 'train.epochs' must be an integer, not a string");
    CHECK(refusal("[train]\nshuffle = 1\n") ==
          "a.toml:2:1: 'train.shuffle' must be true or false, not an integer");
    CHECK(refusal("[train]\nclip_norm = true\n") ==
          "a.toml:2:1: 'train.clip_norm' must be a number, not a boolean");
    CHECK(refusal("[train]\nloss = 1979-05-27\n") ==
          "a.toml:2:1: 'train.loss' must be a string, not a date or time");
    CHECK(refusal("[engine]\nfusion = true\n") ==
          "a.toml:2:1: 'engine.fusion' must be a string, not a boolean");
    CHECK(refusal("train = 3\n") == "a.toml:1:1: 'train' must be a table, not an integer");
    CHECK(refusal("[[train]]\nepochs = 1\n") == "a.toml:1:3: 'train' must be a table, not a list");
    CHECK(refusal("[model]\nlayers = 3\n") ==
          "a.toml:2:1: 'model.layers' must be a list of tables, not an integer");
    CHECK(refusal("[model]\nlayers = [3]\n") ==
          "a.toml:2:11: 'model.layers[0]' must be a table, not an integer");
    CHECK(refusal(layer("type = 'quantum'\nobservables = 'Z0'\n")) ==
          "a.toml:4:1: 'model.layers[0].observables' must be a list of strings, not a string");
    CHECK(refusal(layer("type = 'quantum'\nobservables = ['Z0', 1]\n")) ==
          "a.toml:4:22: 'model.layers[0].observables' must be a list of strings, not an integer");
    CHECK(refusal(layer("type = 'quantum'\noptions = { a = [1] }\n")) ==
          "a.toml:4:13: 'model.layers[0].options.a' must be a boolean, a number or a string, not "
          "a list");
    CHECK(refusal(layer("type = 'quantum'\noptions = { a = nan }\n")) ==
          "a.toml:4:13: 'model.layers[0].options.a' must be finite, not nan");
    CHECK(refusal(layer("type = 'quantum'\ndata = { x = [] }\n")) ==
          "a.toml:4:10: 'model.layers[0].data.x' must be a column's name or a list of names, not "
          "a list");
}

TEST_CASE("config: numbers out of range and unknown choices are refused", "[config]") {
    CHECK(refusal("[train]\nbatch_size = 0\n") ==
          "a.toml:2:1: 'train.batch_size' must be at least 1, not 0");
    CHECK(refusal("[train]\nseed = -1\n") == "a.toml:2:1: 'train.seed' must be at least 0, not -1");
    CHECK(refusal("[data]\ntrain_fraction = 1.5\n") ==
          "a.toml:2:1: 'data.train_fraction' must be above 0 and at most 1, not 1.5");
    CHECK(refusal("[optimizer]\nbeta_1 = 1\n") ==
          "a.toml:2:1: 'optimizer.beta_1' must be at least 0 and below 1, not 1");
    CHECK(refusal("[optimizer]\nlearning_rate = inf\n") ==
          "a.toml:2:1: 'optimizer.learning_rate' must be finite, not inf");
    CHECK(refusal("[optimizer]\nlearning_rate = nan\n") ==
          "a.toml:2:1: 'optimizer.learning_rate' must be finite, not nan");
    CHECK(refusal("[model]\nkind = 'qcnn'\nqubits = 1000001\n") ==
          "a.toml:3:1: 'model.qubits' must be from 1 to 1000000, not 1000001");
    CHECK(refusal("[train]\nloss = 'msr'\n") ==
          "a.toml:2:1: 'train.loss' must be one of mse, mae, hinge, binary_crossentropy, "
          "categorical_crossentropy, sparse_categorical_crossentropy, expectation, not 'msr' (did "
          "you mean 'mse'?)");
    CHECK(refusal("[model]\nkind = ''\n") ==
          "a.toml:2:1: 'model.kind' must be one of qcnn, qcnn_hybrid, layers, not ''");
}

TEST_CASE("config: both ends of every range are tested by its own description", "[config]") {
    Config all;
    for (const Table& table : describe(all)) {
        for (const Key& key : table.keys) {
            const std::string name = table.name + "." + key.name;
            INFO(name);
            if (std::holds_alternative<double*>(key.member)) {
                const RealRange& range = key.reals;
                CHECK(set_refusal(name + "=-0.5") == "--set " + name + ": '" + name + "' must be " +
                                                         range_text(range) + ", not -0.5");
                CHECK((set_refusal(name + "=0.0") == "accepted") == !range.least_open);
                if (range.most == 1)
                    CHECK((set_refusal(name + "=1.0") == "accepted") == !range.most_open);
                CHECK(set_refusal(name + "=inf").ends_with("must be finite, not inf"));
            } else if (!key.is_text() && !std::holds_alternative<bool*>(key.member)) {
                const std::string least = std::to_string(key.integers.least);
                const std::string below = std::to_string(key.integers.least - 1);
                if (name != "model.qubits") CHECK(set_refusal(name + "=" + least) == "accepted");
                CHECK(set_refusal(name + "=" + below) ==
                      "--set " + name + ": '" + name + "' must be " + range_text(key.integers) +
                          ", not " + below);
            } else if (!key.choices.empty()) {
                CHECK(set_refusal(name + "=nonsense").find("must be one of") != std::string::npos);
            }
        }
    }
}

TEST_CASE("config: combinations that make no sense are refused", "[config]") {
    CHECK(refusal("[model]\nkind = 'layers'\n") ==
          "a.toml:2:1: model.kind = \"layers\" needs [[model.layers]] tables");
    CHECK(refusal("[model]\nkind = 'qcnn'\n[[model.layers]]\ntype = 'dense'\nunits = 1\n") ==
          "a.toml:3:9: [[model.layers]] cannot be given with the ready-made model.kind = "
          "\"qcnn\"");
    CHECK(refusal("[model]\nfilters = 2\n[[model.layers]]\ntype = 'dense'\nunits = 1\n") ==
          "a.toml:2:1: 'model.filters' belongs to ready-made models, not to kind = \"layers\"");
    CHECK(refusal("[model]\nkind = 'qcnn'\nfilters = 3\n") ==
          "a.toml:3:1: 'model.filters' must be 1 with kind = \"qcnn\", not 3");
    CHECK(refusal("[model]\nkind = 'qcnn'\nqubits = 1\n") ==
          "a.toml:3:1: 'model.qubits' must be from 2 to 1000000, not 1");
    CHECK(refusal("[data]\nsource = 'csv'\n") ==
          "a.toml:2:1: data.source = \"csv\" needs 'data.file'");
    CHECK(refusal("[data]\nsource = 'excitations'\nfile = 'x'\n") ==
          "a.toml:3:1: 'data.file' needs data.source = \"csv\" or \"hdf5\", not \"excitations\"");
    CHECK(refusal("[optimizer.schedule]\nkind = 'cosine'\n") ==
          "a.toml:2:1: optimizer.schedule.kind = \"cosine\" needs 'decay_steps' of at least 1");
    CHECK(refusal(layer("name = 'x'\n")) ==
          "a.toml:2:1: 'model.layers[0].type' is missing: quantum, concatenate or dense");
    CHECK(refusal(layer("type = 'dense'\n")) == "a.toml:2:1: a dense layer needs 'units'");
    CHECK(refusal(layer("type = 'dense'\nunits = 1\ncircuit = 'x'\n")) ==
          "a.toml:5:1: 'model.layers[0].circuit' is no key of a dense layer");
    CHECK(refusal(layer("type = 'quantum'\n")) ==
          "a.toml:2:1: a quantum layer needs 'circuit' or 'file'");
    CHECK(refusal(layer("type = 'quantum'\ncircuit = 'x'\nfile = 'y'\n")) ==
          "a.toml:2:1: a quantum layer has 'circuit' (a template) or 'file', not both");
}

TEST_CASE("config: wrong --set options are refused at --set KEY", "[config]") {
    CHECK(set_refusal("train.epochs") == "--set train.epochs: KEY=VALUE is expected");
    CHECK(set_refusal("train.epoch=3") ==
          "--set train.epoch: unknown key 'train.epoch' (did you mean 'epochs'?)");
    CHECK(set_refusal("trian.epochs=3") ==
          "--set trian.epochs: unknown table 'trian' (did you mean 'train'?)");
    CHECK(set_refusal("epochs=3") ==
          "--set epochs: unknown key 'epochs' (did you mean 'train.epochs'?)");
    CHECK(set_refusal("train.epochs=many") ==
          "--set train.epochs: 'train.epochs' must be an integer, not a string");
    CHECK(set_refusal("train.epochs=") ==
          "--set train.epochs: 'train.epochs' must be an integer, not a string");
    CHECK(set_refusal("train.epochs=3\nseed=4") ==
          "--set train.epochs: 'train.epochs' must be an integer, not a string");
    CHECK(set_refusal("train.epochs=0.5") ==
          "--set train.epochs: 'train.epochs' must be an integer, not a float");
    CHECK(set_refusal("train..epochs=3") == "--set train..epochs: a part of the key is empty");
    CHECK(set_refusal("=3") == "--set : a part of the key is empty");
    CHECK(set_refusal("train.loss=\"mse").starts_with("--set train.loss: the value \"mse is not"));
    CHECK(set_refusal("model.layers=[{").starts_with("--set model.layers: the value [{ is not"));
    CHECK(set_refusal("model.layers[3].units=1") ==
          "--set model.layers[3].units: there is no 'layers[3]' in the config");
    CHECK(set_refusal("model.layers[x].units=1") ==
          "--set model.layers[x].units: 'layers[x]' is not NAME[NUMBER]");
    CHECK(set_refusal("train.epochs.more=1") ==
          "--set train.epochs.more: 'train.epochs' must be an integer, not a table");
    CHECK(refusal("train = { epochs = 3 }", {"train.epochs.more=1"}) ==
          "--set train.epochs.more: 'more' is inside a value that is not a table");
}

TEST_CASE("config: a file that cannot be read is an environment error", "[config]") {
    const test::Scratch scratch;
    for (const std::string& path : {scratch.path("none.toml"), scratch.folder()}) {
        try {
            (void)load_config(path, {});
            FAIL("accepted");
        } catch (const Error& error) {
            CHECK(error.kind() == Kind::environment);
            CHECK(std::string(error.what()).find(path) != std::string::npos);
        }
    }
}

TEST_CASE("characters beyond ASCII stand in quotes and comments only", "[config]") {
    CHECK(refusal("[train]\nsch\xC3\xB6n = 1\n") ==
          "a.toml:2:4: characters beyond ASCII may stand only in comments and in quotes");
    CHECK(refusal("# \xC3\xB6\n\"\\\"\xC3\xB6\" = '\xC3\xB6'\n\xEF\xB3\xBF = 1\n")
              .starts_with("a.toml:3:1:"));
    CHECK(refusal("a = \"\"\"\n\xC3\xB6\"\"\"\"\"\n\xEF\xB3\xBF = 1\n").starts_with("a.toml:3:1:"));
}
