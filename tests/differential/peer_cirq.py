"""Circuits in Cirq: every row of the gate table in Cirq's own gates."""

import cirq
import numpy as np

PI = np.pi
NAME = f"Cirq {cirq.__version__}"


def _turned(gate):
    """The rotation by theta from Cirq's power gate: exponent theta/pi, phase exp(-i theta/2)."""
    return lambda theta: gate(exponent=theta / PI, global_shift=-0.5)


# One gate of Cirq's each; built-in controls come first, as in Cirq.
GATES = {
    "id": lambda: cirq.I,
    "x": lambda: cirq.X,
    "y": lambda: cirq.Y,
    "z": lambda: cirq.Z,
    "h": lambda: cirq.H,
    "s": lambda: cirq.S,
    "sdg": lambda: cirq.S**-1,
    "t": lambda: cirq.T,
    "tdg": lambda: cirq.T**-1,
    "sx": lambda: cirq.X**0.5,
    "sxdg": lambda: cirq.X**-0.5,
    "swap": lambda: cirq.SWAP,
    "iswap": lambda: cirq.ISWAP,
    "iswapdg": lambda: cirq.ISWAP**-1,
    "cx": lambda: cirq.CX,
    "cy": lambda: cirq.Y.controlled(),
    "cz": lambda: cirq.CZ,
    "ch": lambda: cirq.H.controlled(),
    "ccx": lambda: cirq.CCX,
    "ccz": lambda: cirq.CCZ,
    "cswap": lambda: cirq.CSWAP,
    "rx": cirq.rx,
    "ry": cirq.ry,
    "rz": cirq.rz,
    "xpow": lambda t: cirq.XPowGate(exponent=t),
    "ypow": lambda t: cirq.YPowGate(exponent=t),
    "zpow": lambda t: cirq.ZPowGate(exponent=t),
    "hpow": lambda t: cirq.HPowGate(exponent=t),
    "p": lambda theta: cirq.ZPowGate(exponent=theta / PI),
    "rxx": _turned(cirq.XXPowGate),
    "ryy": _turned(cirq.YYPowGate),
    "rzz": _turned(cirq.ZZPowGate),
    "xxpow": lambda t: cirq.XXPowGate(exponent=t),
    "yypow": lambda t: cirq.YYPowGate(exponent=t),
    "zzpow": lambda t: cirq.ZZPowGate(exponent=t),
    "swappow": lambda t: cirq.SwapPowGate(exponent=t),
    "iswappow": lambda t: cirq.ISwapPowGate(exponent=t),
    "cxpow": lambda t: cirq.CXPowGate(exponent=t),
    "czpow": lambda t: cirq.CZPowGate(exponent=t),
    "crx": lambda theta: cirq.rx(theta).controlled(),
    "cry": lambda theta: cirq.ry(theta).controlled(),
    "crz": lambda theta: cirq.rz(theta).controlled(),
    "cp": lambda theta: cirq.CZPowGate(exponent=theta / PI),
    "r": lambda theta, phi: cirq.PhasedXPowGate(
        phase_exponent=phi / PI, exponent=theta / PI, global_shift=-0.5
    ),
    "phasedx": lambda p, t: cirq.PhasedXPowGate(phase_exponent=p, exponent=t),
    "fsim": cirq.FSimGate,
    "phasediswap": lambda p, t: cirq.PhasedISwapPowGate(phase_exponent=p, exponent=t),
}


def _phase(angle):
    return cirq.global_phase_operation(np.exp(1j * angle))


def _u3(theta, phi, lam, qubit):
    """Qiskit's U, which Cirq has not: P(phi) RY(theta) P(lambda), the last first."""
    return [
        cirq.ZPowGate(exponent=lam / PI)(qubit),
        cirq.ry(theta)(qubit),
        cirq.ZPowGate(exponent=phi / PI)(qubit),
    ]


def _operations(circuit, operation):
    """The operation without its further controls, as a list of Cirq's."""
    angles = [angle.value(circuit.values) for angle in operation.angles]
    qubits = [cirq.LineQubit(qubit) for qubit in operation.operands]
    if operation.gate == "unitary":
        return [cirq.MatrixGate(operation.matrix)(*qubits)]
    if operation.gate == "pauli_rotation":
        paulis = {qubit: getattr(cirq, p) for qubit, p in zip(qubits, operation.word)}
        turns = angles[0] / (2 * PI)
        return [
            cirq.PauliStringPhasor(
                cirq.PauliString(paulis), exponent_neg=turns, exponent_pos=-turns
            )
        ]
    if operation.gate == "gphase":
        return [_phase(angles[0])]
    if operation.gate == "U":  # OpenQASM 3's has one more phase
        return [*_u3(*angles, *qubits), _phase(angles[0] / 2)]
    if operation.gate == "u3":
        phase = [_phase(-(angles[1] + angles[2]) / 2)] if circuit.standard else []
        return [*_u3(*angles, *qubits), *phase]
    if operation.gate == "cu":
        theta, phi, lam, gamma = angles
        parts = [part.controlled_by(qubits[0]) for part in _u3(theta, phi, lam, qubits[1])]
        return [*parts, cirq.ZPowGate(exponent=gamma / PI)(qubits[0])]
    if operation.gate == "cu3":
        return [part.controlled_by(qubits[0]) for part in _u3(*angles, qubits[1])]
    return [GATES[operation.gate](*angles)(*qubits)]


def build(circuit):
    """The circuit in Cirq."""
    built = cirq.Circuit()
    for operation in circuit.operations:
        parts = _operations(circuit, operation) * operation.power
        if operation.inverse:
            parts = list(cirq.inverse(parts))
        if operation.controls:
            controls = [cirq.LineQubit(qubit) for qubit, _ in operation.controls]
            values = [int(positive) for _, positive in operation.controls]
            parts = [part.controlled_by(*controls, control_values=values) for part in parts]
        built.append(parts)
    return built


def evaluate(circuit):
    """Expectations, amplitudes (qubit 0 least significant); no gradients."""
    qubits = cirq.LineQubit.range(circuit.qubits)
    simulator = cirq.Simulator(dtype=np.complex128, seed=0)
    state = simulator.simulate(build(circuit), qubit_order=qubits).final_state_vector
    positions = {qubit: i for i, qubit in enumerate(qubits)}
    expectations = []
    for observable in circuit.observables:
        total = cirq.PauliSum()
        for coefficient, word in observable:
            total += cirq.PauliString(
                {qubits[qubit]: getattr(cirq, p) for qubit, p in word.items()},
                coefficient=coefficient,
            )
        expectations.append(total.expectation_from_state_vector(state, positions).real)
    # Cirq's qubit 0 is the most significant bit.
    amplitudes = state.reshape((2,) * circuit.qubits).transpose().reshape(-1)
    return {"expectations": expectations, "amplitudes": amplitudes}
