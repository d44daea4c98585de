/// HDF5 files for fuzzers: a whole one, changed by the library itself as the input says.
///
/// Bytes of a file that were changed at random lead HDF5 1.10 astray inside the library
/// (docs/decisions/fuzzed-hdf5.md). So an input is a list of edits: objects and attributes removed,
/// replaced by ones of any type and shape, linked elsewhere. Every file is one that some program
/// could have written, and few are what our readers hope for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fuzz {

/// Names that edits choose from, beside free ones.
struct Vocabulary {
    std::vector<std::string> objects;    ///< paths of objects
    std::vector<std::string> attributes; ///< names of attributes
};

/// The image of the file after the edits that `data` spells. An edit that the library refuses
/// changes nothing.
std::string edited(const std::string& image, const Vocabulary& vocabulary, const std::uint8_t* data,
                   std::size_t size);

} // namespace fuzz
