/// The headline: an epoch of training, without anything around it.
#pragma once

namespace wavetrain {

/// Seconds of one epoch with gradients of the hybrid network with three filters on 1,000 samples,
/// batch 32, single precision (configs/headline_23q.toml and its like), after one warming step.
double headline_epoch_seconds(int qubits, int threads);

} // namespace wavetrain
