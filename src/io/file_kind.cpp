/// What a file is, by its first bytes.
#include "wavetrain/io/file_kind.hpp"

#include "wavetrain/base/error.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>

namespace wavetrain {

FileKind file_kind(const std::string& path) {
    const auto close = [](std::FILE* file) { std::fclose(file); };
    const std::unique_ptr<std::FILE, decltype(close)> file(std::fopen(path.c_str(), "rb"), close);
    std::string start(4096, '\0');
    if (file) {
        start.resize(std::fread(start.data(), 1, start.size(), file.get()));
    }
    if (!file || std::ferror(file.get()))
        fail(Kind::environment, "cannot read '{}': {}", path, std::strerror(errno));
    constexpr std::string_view kSignature = "\x89HDF\r\n\x1a\n";
    if (start.starts_with(kSignature)) return FileKind::hdf5;
    // Control characters that no text has, and HDF5's first byte: a file cut inside the signature.
    const bool text =
        !start.starts_with('\x89') && std::all_of(start.begin(), start.end(), [](char c) {
            return static_cast<unsigned char>(c) >= 32 || (c >= '\t' && c <= '\r');
        });
    return text ? FileKind::text : FileKind::binary;
}

} // namespace wavetrain
