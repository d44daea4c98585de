/// Keras' HDF5 layouts: what is written is read back, and files that Keras itself wrote are read.
#include "catch.hpp"
#include "scratch.hpp"

#include "wavetrain/base/error.hpp"
#include "wavetrain/base/format.hpp"
#include "wavetrain/io/atomic_file.hpp"
#include "wavetrain/model/keras_file.hpp"

#include <algorithm>

using namespace wavetrain;

namespace {

std::vector<KerasLayer> example() {
    return {{"input_1", {}},
            {"pqc", {{"parameters:0", {3}, {0.5, -0.25, 3.0}}}},
            {"dense",
             {{"dense/kernel:0", {2, 3}, {1, 2, 3, 4, 5, 6}}, {"dense/bias:0", {3}, {7, 8, 9}}}}};
}

void check_same(const std::vector<KerasLayer>& a, const std::vector<KerasLayer>& b) {
    REQUIRE(a.size() == b.size());
    for (std::size_t layer = 0; layer < a.size(); ++layer) {
        CHECK(a[layer].name == b[layer].name);
        REQUIRE(a[layer].arrays.size() == b[layer].arrays.size());
        for (std::size_t index = 0; index < a[layer].arrays.size(); ++index) {
            CHECK(a[layer].arrays[index].name == b[layer].arrays[index].name);
            CHECK(a[layer].arrays[index].shape == b[layer].arrays[index].shape);
            CHECK(a[layer].arrays[index].values == b[layer].arrays[index].values);
        }
    }
}

const KerasLayer& find(const std::vector<KerasLayer>& layers, const std::string& name) {
    const auto found = std::find_if(layers.begin(), layers.end(),
                                    [&](const KerasLayer& layer) { return layer.name == name; });
    REQUIRE(found != layers.end());
    return *found;
}

template <class Action> Error error_of(Action action) {
    try {
        action();
    } catch (const Error& error) {
        return error;
    }
    FAIL("nothing was refused");
    return Error(Kind::bug, "");
}

} // namespace

TEST_CASE("keras: the older layout is written and read back in order", "[keras]") {
    H5File file = H5File::create();
    write_keras_layers(file, example());
    CHECK(keras_layout(file) == KerasLayout::older);
    check_same(read_keras_layers(file), example());
    CHECK(file.texts("/", "layer_names") == std::vector<std::string>{"input_1", "pqc", "dense"});
    CHECK(file.text("/", "backend") == "tensorflow");
    CHECK(file.texts("/input_1", "weight_names").empty());
    CHECK(file.texts("/top_level_model_weights", "weight_names").empty());
    CHECK(file.shape("/dense/dense/kernel:0") == std::vector<std::size_t>{2, 3});
}

TEST_CASE("keras: numbers are stored as float32", "[keras]") {
    H5File file = H5File::create();
    write_keras_layers(file, {{"pqc", {{"parameters:0", {1}, {0.1}}}}});
    CHECK(read_keras_layers(file)[0].arrays[0].values[0] == static_cast<double>(0.1f));
}

TEST_CASE("keras: groups beside the layers are left alone", "[keras]") {
    H5File file = H5File::create();
    write_keras_layers(file, example());
    file.write("/wavetrain/values", std::vector<double>{1}, {1});
    check_same(read_keras_layers(file), example());
}

TEST_CASE("keras: lists of names in pieces, and a whole model's file, are read", "[keras]") {
    H5File file = H5File::create();
    file.create_group("/model_weights");
    file.set_texts("/model_weights", "layer_names0", {"a"});
    file.set_texts("/model_weights", "layer_names1", {"b"});
    file.create_group("/model_weights/a");
    file.set_texts("/model_weights/a", "weight_names", {});
    file.create_group("/model_weights/b");
    file.set_texts("/model_weights/b", "weight_names0", {"x", "y"});
    file.set_texts("/model_weights/b", "weight_names1", {"z"});
    for (const std::string name : {"x", "y", "z"})
        file.write("/model_weights/b/" + name, std::vector<double>{1}, {1});
    const auto layers = read_keras_layers(file);
    REQUIRE(layers.size() == 2);
    CHECK(layers[0].arrays.empty());
    REQUIRE(layers[1].arrays.size() == 3);
    CHECK(layers[1].arrays[2].name == "z");
}

TEST_CASE("keras: the newer layout is sorted by class and number, not as text", "[keras]") {
    H5File file = H5File::create();
    for (int number = 0; number < 12; ++number) {
        const std::string name = number == 0 ? "dense" : format("dense_{}", number);
        file.write("/layers/" + name + "/vars/0", std::vector<double>{number * 1.0}, {1});
    }
    for (int index = 0; index < 12; ++index)
        file.write(format("/layers/pqc/vars/{}", index), std::vector<double>{index * 1.0}, {1});
    file.create_group("/layers/pqc/_executor/vars");
    file.create_group("/layers/add_circuit");
    CHECK(keras_layout(file) == KerasLayout::newer);
    const auto layers = read_keras_layers(file);
    REQUIRE(layers.size() == 14);
    CHECK(layers[0].name == "add_circuit");
    for (std::size_t number = 0; number < 12; ++number) {
        CHECK(layers[1 + number].arrays[0].values[0] == static_cast<double>(number));
        CHECK(layers[13].arrays[number].values[0] == static_cast<double>(number));
    }
    CHECK(keras_class("dense") == std::pair<std::string, std::size_t>("dense", 0));
    CHECK(keras_class("dense_1") == std::pair<std::string, std::size_t>("dense", 1));
    CHECK(keras_class("add_circuit_12") == std::pair<std::string, std::size_t>("add_circuit", 12));
    CHECK(keras_class("layer_01") == std::pair<std::string, std::size_t>("layer_01", 0));
}

TEST_CASE("keras: files without weights, and weights that are missing, are refused", "[keras]") {
    H5File file = H5File::create();
    file.write("/features", std::vector<double>{1}, {1, 1});
    CHECK(error_of([&] { (void)read_keras_layers(file); }).kind() == Kind::environment);

    file = H5File::create();
    file.set_texts("/", "layer_names", {"dense"});
    CHECK(error_of([&] { (void)read_keras_layers(file); }).kind() == Kind::usage);
    file.create_group("/dense");
    CHECK(error_of([&] { (void)read_keras_layers(file); }).kind() == Kind::usage);
    file.set_texts("/dense", "weight_names", {"kernel:0"});
    const Error missing = error_of([&] { (void)read_keras_layers(file); });
    CHECK(missing.kind() == Kind::usage);
    CHECK(std::string(missing.what()).find("/dense/kernel:0") != std::string::npos);

    file = H5File::create();
    file.write("/layers/outer/inner/vars/0", std::vector<double>{1}, {1});
    const Error nested = error_of([&] { (void)read_keras_layers(file); });
    CHECK(nested.kind() == Kind::usage);
    CHECK(std::string(nested.what()).find("/layers/outer/inner/vars/0") != std::string::npos);
}

TEST_CASE("keras: files that Keras itself wrote are read, and written again the same", "[keras]") {
    const std::string folder = test::shared_folder() + "/data/keras";
    if (!exists(folder)) {
        WARN("skipped: there is no folder " << folder);
        return;
    }
    const auto older = read_keras_layers(H5File::open(folder + "/keras_hybrid_n8.h5"));
    REQUIRE(older.size() == 5);
    CHECK(older[0].name == "input_1");
    CHECK(older[0].arrays.empty());
    CHECK(older[2].name == "pqc");
    CHECK(older[2].arrays.at(0).shape == std::vector<std::size_t>{21});
    CHECK(older[3].arrays.at(0).shape == std::vector<std::size_t>{4, 8});
    CHECK(older[4].arrays.at(1).name == "dense/bias:0");
    H5File again = H5File::create();
    write_keras_layers(again, older);
    check_same(read_keras_layers(again), older);

    // The same model in the newer layout, where layers are numbered by their order.
    const H5File file = H5File::open(folder + "/keras_hybrid_n8.weights.h5");
    CHECK(keras_layout(file) == KerasLayout::newer);
    const auto newer = read_keras_layers(file);
    CHECK(find(newer, "pqc").arrays.at(0).values == older[2].arrays.at(0).values);
    CHECK(find(newer, "dense").arrays.at(0).values == older[3].arrays.at(0).values);
    CHECK(find(newer, "dense_1").arrays.at(1).values == older[4].arrays.at(1).values);

    const auto three = read_keras_layers(H5File::open(folder + "/keras_hybrid_3filters_n8.h5"));
    for (const std::string name : {"pqc", "pqc_1", "pqc_2"})
        CHECK(find(three, name).arrays.at(0).shape == std::vector<std::size_t>{21});
}
