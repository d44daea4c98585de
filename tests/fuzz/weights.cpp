/// Weights files, edited: read into a model or refused; no damage to names, shapes or values
/// passes.
#include "fuzz.hpp"
#include "h5_edit.hpp"

#include "wavetrain/config/assemble.hpp"
#include "wavetrain/io/atomic_file.hpp"
#include "wavetrain/model/weights_file.hpp"

using namespace wavetrain;

namespace {

/// A small model, its parameters and its whole weights file.
struct Whole {
    std::unique_ptr<Model> model;
    std::vector<double> parameters;
    std::string image;

    Whole() {
        const Config config = parse_config("[model]\nkind = \"qcnn_hybrid\"\nqubits = 4\n"
                                           "[data]\nsource = \"excitations\"\nrounds = 2\n"
                                           "[output]\nfolder = \"run\"\n",
                                           "fuzz.toml", {});
        const std::vector<std::string> columns = data_columns(config);
        model = build_model(config, columns);
        parameters.assign(model->parameters(), 0.25);
        const std::string path = "/dev/shm/wavetrain-fuzz-" + std::to_string(::getpid());
        save_weights(path, *model, parameters, weights_info(config, columns, {}));
        image = read_text(path);
        remove_path(path);
    }
};

const fuzz::Vocabulary kVocabulary = {
    {"/", "/wavetrain", "/wavetrain/config", "/wavetrain/config_sha256", "/wavetrain/columns",
     "/wavetrain/layer_names", "/wavetrain/layers", "/wavetrain/layers/filter_1",
     "/wavetrain/layers/filter_1/values", "/wavetrain/layers/filter_1/names",
     "/wavetrain/layers/filter_1/type", "/wavetrain/layers/dense/values",
     "/wavetrain/parameters_sha256", "/wavetrain/simd", "/filter_1", "/dense", "/dense_1", ""},
    {"format_version", "piece_amplitudes", "layer_names", "weight_names", "backend",
     "keras_version"}};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const Whole whole;
    const fuzz::MemoryFile file(fuzz::edited(whole.image, kVocabulary, data, size));
    fuzz::may_refuse([&] { read_weights_info(file.path()); });
    fuzz::may_refuse(
        [&] { fuzz::require(read_weights(file.path(), *whole.model) == whole.parameters); });
    fuzz::may_refuse([&] {
        fuzz::require(read_any_weights(file.path(), *whole.model).size() ==
                      whole.parameters.size());
    });
    return 0;
}
