/// The user's qubits.
#pragma once

#include <compare>

namespace wavetrain {

/// A qubit by the user's index. Qubit 0 is the least significant bit of the index of an amplitude.
struct Qubit {
    int index = 0;

    auto operator<=>(const Qubit&) const = default;
};

/// A control: the gate acts where the qubit has this value.
struct Control {
    Qubit qubit;
    bool value = true;

    auto operator<=>(const Control&) const = default;
};

} // namespace wavetrain
