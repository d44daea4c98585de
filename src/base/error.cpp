/// Errors: names of kinds, prefixes of places, conversion of foreign exceptions.
#include "wavetrain/base/error.hpp"

#include <new>

namespace wavetrain {

std::string_view kind_name(Kind kind) {
    switch (kind) {
    case Kind::usage: return "usage";
    case Kind::environment: return "environment";
    case Kind::numeric: return "numeric";
    case Kind::launch: return "launch";
    case Kind::peer: return "peer";
    case Kind::bug: return "bug";
    case Kind::stopped: return "stopped";
    }
    return "bug";
}

std::string place_prefix(const Place& place) {
    if (place.file.empty()) return "";
    if (place.line <= 0) return place.file + ": ";
    if (place.column <= 0) return format("{}:{}: ", place.file, place.line);
    return format("{}:{}:{}: ", place.file, place.line, place.column);
}

Error::Error(Kind kind, const std::string& message, Place place, int rank)
    : std::runtime_error(place_prefix(place) + message), kind_(kind), place_(std::move(place)),
      rank_(rank) {}

Error Error::as_everywhere() const {
    Error copy = *this;
    copy.everywhere_ = true;
    return copy;
}

Error as_error(const std::exception& error) {
    if (const auto* known = dynamic_cast<const Error*>(&error)) return *known;
    if (dynamic_cast<const std::bad_alloc*>(&error))
        return Error(Kind::environment, "out of memory");
    return Error(Kind::bug, format("unexpected error: {}", error.what()));
}

} // namespace wavetrain
