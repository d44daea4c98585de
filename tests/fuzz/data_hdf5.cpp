/// HDF5 data files, edited: read or refused; what is read is finite and of the shape it claims.
#include "fuzz.hpp"
#include "h5_edit.hpp"

#include "wavetrain/data/dataset.hpp"
#include "wavetrain/io/h5.hpp"

#include <cmath>

using namespace wavetrain;

namespace {

std::string image(bool excitations) {
    H5File file = H5File::create();
    const std::vector<double> values = {0, 1, 2, 3, 0.5, -0.5};
    if (excitations) {
        file.write_integers("excited_qubit", std::vector<std::int64_t>{0, 1, 2, 3, 0, 1}, {6});
        file.write("angle", values, {6});
        file.write("label", values, {6});
    } else {
        file.write("features", values, {3, 2});
        file.set_texts("features", "columns", {"a", "b"});
        file.write("labels", std::vector<double>{1, 2, 3}, {3});
    }
    return file.image();
}

const fuzz::Vocabulary kVocabulary = {
    {"/", "features", "labels", "excited_qubit", "angle", "label", "a", "b", "label_0"},
    {"columns"}};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const std::string images[] = {image(false), image(true)};
    if (size == 0) return 0;
    const fuzz::MemoryFile file(fuzz::edited(images[data[0] & 1], kVocabulary, data + 1, size - 1));
    fuzz::may_refuse([&] {
        const Dataset set = read_dataset(file.path(), 4);
        fuzz::require(set.samples > 0);
        fuzz::require(set.features.size() == set.samples * set.columns.size());
        fuzz::require(set.labels.size() == set.samples * set.label_width);
        for (const double value : set.features) fuzz::require(std::isfinite(value));
    });
    return 0;
}
