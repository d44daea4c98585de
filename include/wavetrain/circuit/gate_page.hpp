/// The page of the gate table: docs/conventions.md.
#pragma once

#include <string>

namespace wavetrain {

/// The conventions and every row of the gate table as Markdown, made from the table itself.
std::string gate_page();

} // namespace wavetrain
