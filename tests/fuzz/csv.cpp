/// Any text as a data file: read or refused; what is read is finite and of the shape it claims.
#include "fuzz.hpp"

#include "wavetrain/data/dataset.hpp"

#include <cmath>

using namespace wavetrain;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const fuzz::MemoryFile file(fuzz::text_of(data, size));
    fuzz::may_refuse([&] {
        const Dataset set = read_dataset(file.path(), 4);
        fuzz::require(set.samples > 0);
        fuzz::require(set.features.size() == set.samples * set.columns.size());
        fuzz::require(set.labels.size() == set.samples * set.label_width);
        for (const double value : set.features) fuzz::require(std::isfinite(value));
    });
    return 0;
}
