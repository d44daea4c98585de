/// What the fuzzers share: what an input may do, and inputs as files.
#pragma once

#include "wavetrain/base/error.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>

namespace fuzz {

/// Runs `body` on an input. A refusal must be an Error that blames the input or the system and
/// says something; a bug of ours, or an exception of any other type, ends the fuzzer.
template <class Body> void may_refuse(Body&& body) {
    try {
        body();
    } catch (const wavetrain::Error& error) {
        if (error.kind() == wavetrain::Kind::bug || std::string_view(error.what()).empty()) throw;
    }
}

/// Ends the fuzzer unless a law holds.
inline void require(bool holds) {
    if (!holds) std::abort();
}

/// Bytes as a file in memory, with a path that readers can open.
class MemoryFile {
public:
    explicit MemoryFile(std::string_view bytes) : descriptor_(::memfd_create("fuzz", 0)) {
        require(descriptor_ >= 0);
        for (std::size_t done = 0; done < bytes.size();) {
            const ssize_t count = ::write(descriptor_, bytes.data() + done, bytes.size() - done);
            require(count > 0);
            done += static_cast<std::size_t>(count);
        }
    }
    ~MemoryFile() { ::close(descriptor_); }
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;

    std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

private:
    int descriptor_;
};

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
    return {reinterpret_cast<const char*>(data), size};
}

} // namespace fuzz
