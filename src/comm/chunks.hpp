/// Long messages in pieces: MPI counts elements in an int.
#pragma once

#include "wavetrain/base/error.hpp"

#include <algorithm>
#include <cstddef>

namespace wavetrain {

/// Calls body(offset, count) for consecutive pieces of [0, total), each of at most `limit`
/// elements and none empty.
template <class Body> void for_each_chunk(std::size_t total, std::size_t limit, Body&& body) {
    promise(limit > 0, "a message chunk has at least one element");
    for (std::size_t offset = 0; offset < total;) {
        const std::size_t count = std::min(limit, total - offset);
        body(offset, count);
        offset += count;
    }
}

} // namespace wavetrain
