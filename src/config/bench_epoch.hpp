/// The headline: an epoch of training, without anything around it.
#pragma once

#include "wavetrain/config/config.hpp"

namespace wavetrain {

/// configs/headline_23q.toml, or that of 100 qubits.
Config headline_config(int qubits);

/// Seconds of one epoch of it with gradients, after one warming step.
double headline_epoch_seconds(int qubits, int threads);

} // namespace wavetrain
