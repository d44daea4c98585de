/// The gradient methods against each other, on the user's own model.
#pragma once

#include "wavetrain/config/assemble.hpp"

namespace wavetrain {

/// What was found for one layer with parameters or quantum inputs.
struct LayerCheck {
    std::string name;
    std::string type;
    std::size_t checked = 0;         ///< derivatives that were compared
    double adjoint_shift = 0.0;      ///< largest difference; quantum layers only
    double adjoint_difference = 0.0; ///< adjoint (backward) against finite differences
    double largest() const {
        return adjoint_shift > adjoint_difference ? adjoint_shift : adjoint_difference;
    }
};

/// Checks every layer on the first training sample at the initial parameters: for a quantum layer
/// all three methods in weights and inputs, with random weights of the observables; above
/// `all_qubits` qubits only `sampled` seeded symbols. For a dense layer backward against finite
/// differences.
std::vector<LayerCheck> check_gradients(Assembly& assembly, std::span<const double> parameters);

} // namespace wavetrain
