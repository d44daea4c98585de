/// Is a text part of another? Catch2's own matcher has another name in each major version.
#pragma once

#include "catch.hpp"

#include <string>
#include <string_view>

/// True if `part` occurs in `text`; else the check that asked shows the text.
inline bool contains(std::string_view text, std::string_view part) {
    const bool found = text.find(part) != std::string_view::npos;
    if (!found) UNSCOPED_INFO("'" << part << "' does not occur in: " << text);
    return found;
}
