/// What --set does to a TOML tree before it is read; private to the config room.
#pragma once

#include "toml.hpp"

#include <string>

namespace wavetrain {

/// Puts KEY=VALUE into the tree, over what is there. VALUE is written as in TOML; it is taken as a
/// string where the key is one and no quote begins it, and where it is no TOML at all (so that the
/// reader refuses it by type). A `usage` error, placed at "--set KEY", where KEY leads nowhere.
void apply_set(TomlValue& root, const std::string& set);

} // namespace wavetrain
