/// Files in Keras' layouts, edited: read or refused.
#include "fuzz.hpp"
#include "h5_edit.hpp"

#include "wavetrain/model/keras_file.hpp"

using namespace wavetrain;

namespace {

/// A file in the older layout, with a whole model saved beside, or in the newer one.
std::string image(bool newer) {
    H5File file = H5File::create();
    const std::vector<double> values(6, 0.5);
    if (newer) {
        for (const char* layer : {"dense", "dense_1", "pqc"})
            file.write(std::string("/layers/") + layer + "/vars/0", values, {2, 3});
        file.create_group("/layers/input_layer");
        file.write("/layers/pqc/_executor/x", values, {6});
        file.create_group("/vars");
    } else {
        write_keras_layers(file, {{"dense", {{"dense/kernel:0", {2, 3}, values}}},
                                  {"pqc", {{"parameters:0", {6}, values}}},
                                  {"input_1", {}}});
        file.create_group("/model_weights/dense");
    }
    return file.image();
}

const fuzz::Vocabulary kVocabulary = {{"/",
                                       "/dense",
                                       "/pqc",
                                       "/input_1",
                                       "/dense/dense/kernel:0",
                                       "/pqc/parameters:0",
                                       "dense",
                                       "pqc",
                                       "parameters:0",
                                       "dense/kernel:0",
                                       "/layers",
                                       "/layers/dense",
                                       "/layers/dense/vars",
                                       "/layers/dense/vars/0",
                                       "/layers/dense/vars/1",
                                       "/layers/pqc/_executor",
                                       "/layers/dense_1",
                                       "/model_weights",
                                       "/model_weights/dense",
                                       "/top_level_model_weights",
                                       "",
                                       ".",
                                       "//"},
                                      {"layer_names", "weight_names", "layer_names0",
                                       "layer_names1", "weight_names0", "weight_names1", "backend",
                                       "keras_version"}};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const std::string images[] = {image(false), image(true)};
    if (size == 0) return 0;
    const fuzz::MemoryFile file(fuzz::edited(images[data[0] & 1], kVocabulary, data + 1, size - 1));
    fuzz::may_refuse([&] {
        const H5File opened = H5File::open(file.path());
        for (const KerasLayer& layer : read_keras_layers(opened))
            for (const KerasArray& array : layer.arrays) {
                std::size_t count = 1;
                for (const std::size_t extent : array.shape) count *= extent;
                fuzz::require(array.values.size() == count);
            }
    });
    return 0;
}
