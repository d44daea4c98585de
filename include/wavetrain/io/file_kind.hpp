/// What a file is, by its first bytes.
#pragma once

#include <string>

namespace wavetrain {

/// What a file is, by its first bytes.
enum class FileKind {
    hdf5,   ///< begins with HDF5's signature (it may still be cut)
    text,   ///< nothing in it that a text does not have; also the empty file
    binary, ///< anything else
};

/// Looks at the first bytes of a file; an `environment` error if it cannot be read.
FileKind file_kind(const std::string& path);

} // namespace wavetrain
