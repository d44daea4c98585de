"""Circuits in PennyLane, with gradients: every row of the gate table in PennyLane's own gates."""

import numpy as np
import pennylane as qml
from pennylane import numpy as pnp

PI = np.pi
NAME = f"PennyLane {qml.version()}"


def _phase(angle):
    """exp(i angle): PennyLane's GlobalPhase has the other sign."""
    qml.GlobalPhase(-angle)


def _xpow(t, wires):
    _phase(PI * t / 2)
    qml.RX(PI * t, wires=wires)


def _ypow(t, wires):
    _phase(PI * t / 2)
    qml.RY(PI * t, wires=wires)


def _hpow(t, wires):
    """H = RY(pi/4) Z RY(-pi/4)."""
    qml.RY(-PI / 4, wires=wires)
    qml.PhaseShift(PI * t, wires=wires)
    qml.RY(PI / 4, wires=wires)


def _xxpow(t, wires):
    _phase(PI * t / 2)
    qml.IsingXX(PI * t, wires=wires)


def _yypow(t, wires):
    _phase(PI * t / 2)
    qml.IsingYY(PI * t, wires=wires)


def _zzpow(t, wires):
    _phase(PI * t / 2)
    qml.IsingZZ(PI * t, wires=wires)


def _swappow(t, wires):
    """SWAP = (1 + XX + YY + ZZ)/2, and SWAP^t = exp(i pi t (1 - SWAP)/2)."""
    _phase(PI * t / 4)
    qml.IsingXX(PI * t / 2, wires=wires)
    qml.IsingYY(PI * t / 2, wires=wires)
    qml.IsingZZ(PI * t / 2, wires=wires)


def _cxpow(t, wires):
    qml.Hadamard(wires=wires[1])
    qml.ControlledPhaseShift(PI * t, wires=wires)
    qml.Hadamard(wires=wires[1])


def _r(theta, phi, wires):
    qml.RZ(-phi, wires=wires)
    qml.RX(theta, wires=wires)
    qml.RZ(phi, wires=wires)


def _phasedx(p, t, wires):
    qml.PhaseShift(-PI * p, wires=wires)
    _xpow(t, wires)
    qml.PhaseShift(PI * p, wires=wires)


def _fsim(theta, phi, wires):
    """IsingXY(angle) = exp(i angle (XX + YY)/4)."""
    qml.IsingXY(-2 * theta, wires=wires)
    qml.ControlledPhaseShift(-phi, wires=wires)


def _phasediswap(p, t, wires):
    qml.PhaseShift(PI * p, wires=wires[0])
    qml.PhaseShift(-PI * p, wires=wires[1])
    qml.IsingXY(PI * t, wires=wires)
    qml.PhaseShift(-PI * p, wires=wires[0])
    qml.PhaseShift(PI * p, wires=wires[1])


def _u(theta, phi, lam, wires):
    """OpenQASM 3's, which has one more phase than PennyLane's U3 (that is Qiskit's)."""
    _phase(theta / 2)
    qml.U3(theta, phi, lam, wires=wires)


def _cu3(theta, phi, lam, wires):
    qml.ctrl(qml.U3, control=wires[0])(theta, phi, lam, wires=wires[1])


def _cu(theta, phi, lam, gamma, wires):
    _cu3(theta, phi, lam, wires)
    qml.PhaseShift(gamma, wires=wires[0])


def _standard_u3(theta, phi, lam, wires):
    _phase(-(phi + lam) / 2)
    qml.U3(theta, phi, lam, wires=wires)


GATES = {
    "id": qml.Identity,
    "x": qml.PauliX,
    "y": qml.PauliY,
    "z": qml.PauliZ,
    "h": qml.Hadamard,
    "s": qml.S,
    "sdg": qml.adjoint(qml.S),
    "t": qml.T,
    "tdg": qml.adjoint(qml.T),
    "sx": qml.SX,
    "sxdg": qml.adjoint(qml.SX),
    "swap": qml.SWAP,
    "iswap": qml.ISWAP,
    "iswapdg": qml.adjoint(qml.ISWAP),
    "cx": qml.CNOT,
    "cy": qml.CY,
    "cz": qml.CZ,
    "ch": qml.CH,
    "ccx": qml.Toffoli,
    "ccz": qml.CCZ,
    "cswap": qml.CSWAP,
    "rx": qml.RX,
    "ry": qml.RY,
    "rz": qml.RZ,
    "xpow": _xpow,
    "ypow": _ypow,
    "zpow": lambda t, wires: qml.PhaseShift(PI * t, wires=wires),
    "hpow": _hpow,
    "p": qml.PhaseShift,
    "rxx": qml.IsingXX,
    "ryy": qml.IsingYY,
    "rzz": qml.IsingZZ,
    "xxpow": _xxpow,
    "yypow": _yypow,
    "zzpow": _zzpow,
    "swappow": _swappow,
    "iswappow": lambda t, wires: qml.IsingXY(PI * t, wires=wires),
    "cxpow": _cxpow,
    "czpow": lambda t, wires: qml.ControlledPhaseShift(PI * t, wires=wires),
    "crx": qml.CRX,
    "cry": qml.CRY,
    "crz": qml.CRZ,
    "cp": qml.ControlledPhaseShift,
    "r": _r,
    "phasedx": _phasedx,
    "fsim": _fsim,
    "phasediswap": _phasediswap,
    "u3": qml.U3,
    "U": _u,
    "cu": _cu,
    "cu3": _cu3,
    "gphase": lambda angle, wires: _phase(angle),
}


def _apply(circuit, operation, values):
    angles = [angle.value(values) for angle in operation.angles]
    wires = operation.operands

    def plain():
        if operation.gate == "unitary":
            qml.QubitUnitary(operation.matrix, wires=wires)
        elif operation.gate == "pauli_rotation":
            qml.PauliRot(angles[0], operation.word, wires=wires)
        elif operation.gate == "u3" and circuit.standard:
            _standard_u3(*angles, wires=wires)
        else:
            GATES[operation.gate](*angles, wires=wires)

    function = qml.adjoint(plain) if operation.inverse else plain
    if operation.controls:
        controls = [qubit for qubit, _ in operation.controls]
        positive = [positive for _, positive in operation.controls]
        function = qml.ctrl(function, control=controls, control_values=positive)
    for _ in range(operation.power):
        function()


def _observable(observable):
    total = qml.pauli.PauliSentence()
    for coefficient, word in observable:
        total[qml.pauli.PauliWord(word)] += coefficient
    return total.operation(wire_order=[0])


def evaluate(circuit):
    """Expectations, amplitudes (qubit 0 least significant) and gradients (backpropagation)."""
    device = qml.device("default.qubit", wires=circuit.qubits)

    @qml.qnode(device, diff_method="backprop", interface="autograd")
    def expectations(values):
        for operation in circuit.operations:
            _apply(circuit, operation, values)
        return [qml.expval(_observable(observable)) for observable in circuit.observables]

    @qml.qnode(device, diff_method=None)
    def amplitudes():
        for operation in circuit.operations:
            _apply(circuit, operation, circuit.values)
        return qml.state()

    jacobian = qml.jacobian(lambda values: pnp.stack(expectations(values)))
    gradients = jacobian(pnp.array(circuit.values, requires_grad=True))
    state = np.asarray(amplitudes())
    return {
        "expectations": [float(value) for value in expectations(np.array(circuit.values))],
        # PennyLane's wire 0 is the most significant bit.
        "amplitudes": state.reshape((2,) * circuit.qubits).transpose().reshape(-1),
        "gradients": np.asarray(gradients),
    }
