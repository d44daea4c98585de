"""The benchmarks' circuits in Cirq, for qsim and TensorFlow Quantum."""

import cirq
import numpy as np

FIXED = {"h": cirq.H, "cz": cirq.CZ, "cx": cirq.CNOT}
POWERS = {
    "xpow": cirq.X,
    "ypow": cirq.Y,
    "zpow": cirq.Z,
    "xxpow": cirq.XX,
    "yypow": cirq.YY,
    "zzpow": cirq.ZZ,
}
# RX(theta) is exp(-i theta X/2): the power theta/pi with its phase taken away.
ROTATIONS = {"rx": cirq.XPowGate, "ry": cirq.YPowGate, "rz": cirq.ZPowGate}


def build(circuit, qubits, symbol):
    """The circuit on these qubits; symbol(name) stands for a parameter."""
    operations = []
    for gate in circuit.gates:
        if gate.matrix is not None:
            made = cirq.MatrixGate(gate.matrix)
        elif gate.name in FIXED:
            made = FIXED[gate.name]
        elif gate.name in POWERS:
            made = POWERS[gate.name] ** (gate.coefficient * symbol(gate.symbol))
        else:
            exponent = (gate.coefficient / np.pi) * symbol(gate.symbol)
            made = ROTATIONS[gate.name](exponent=exponent, global_shift=-0.5)
        operations.append(made.on(*(qubits[i] for i in gate.qubits)))
    return cirq.Circuit(operations)
