"""Circuits in Qiskit: every row of the gate table in Qiskit's own gates."""

import numpy as np
import qiskit
from qiskit import QuantumCircuit
from qiskit.circuit import library
from qiskit.quantum_info import SparsePauliOp, Statevector

PI = np.pi
NAME = f"Qiskit {qiskit.__version__}"

# One gate of Qiskit's each; built-in controls come first, as in Qiskit.
GATES = {
    "id": library.IGate,
    "x": library.XGate,
    "y": library.YGate,
    "z": library.ZGate,
    "h": library.HGate,
    "s": library.SGate,
    "sdg": library.SdgGate,
    "t": library.TGate,
    "tdg": library.TdgGate,
    "sx": library.SXGate,
    "sxdg": library.SXdgGate,
    "swap": library.SwapGate,
    "iswap": library.iSwapGate,
    "iswapdg": lambda: library.iSwapGate().inverse(),
    "cx": library.CXGate,
    "cy": library.CYGate,
    "cz": library.CZGate,
    "ch": library.CHGate,
    "ccx": library.CCXGate,
    "ccz": library.CCZGate,
    "cswap": library.CSwapGate,
    "rx": library.RXGate,
    "ry": library.RYGate,
    "rz": library.RZGate,
    "p": library.PhaseGate,
    "zpow": lambda t: library.PhaseGate(PI * t),
    "rxx": library.RXXGate,
    "ryy": library.RYYGate,
    "rzz": library.RZZGate,
    "czpow": lambda t: library.CPhaseGate(PI * t),
    "crx": library.CRXGate,
    "cry": library.CRYGate,
    "crz": library.CRZGate,
    "cp": library.CPhaseGate,
    "r": library.RGate,
    "cu": library.CUGate,
    "cu3": library.CU3Gate,
    "gphase": library.GlobalPhaseGate,
    # XXPlusYY(theta, 0) = exp(-i theta (XX + YY)/4).
    "iswappow": lambda t: library.XXPlusYYGate(-PI * t, 0.0),
}


def _xpow(c, t):
    c.rx(PI * t, 0)
    c.global_phase = PI * t / 2


def _ypow(c, t):
    c.ry(PI * t, 0)
    c.global_phase = PI * t / 2


def _hpow(c, t):
    """H = RY(pi/4) Z RY(-pi/4)."""
    c.ry(-PI / 4, 0)
    c.p(PI * t, 0)
    c.ry(PI / 4, 0)


def _xxpow(c, t):
    c.rxx(PI * t, 0, 1)
    c.global_phase = PI * t / 2


def _yypow(c, t):
    c.ryy(PI * t, 0, 1)
    c.global_phase = PI * t / 2


def _zzpow(c, t):
    c.rzz(PI * t, 0, 1)
    c.global_phase = PI * t / 2


def _swappow(c, t):
    """SWAP = (1 + XX + YY + ZZ)/2, and SWAP^t = exp(i pi t (1 - SWAP)/2)."""
    c.rxx(PI * t / 2, 0, 1)
    c.ryy(PI * t / 2, 0, 1)
    c.rzz(PI * t / 2, 0, 1)
    c.global_phase = PI * t / 4


def _cxpow(c, t):
    c.h(1)
    c.cp(PI * t, 0, 1)
    c.h(1)


def _phasedx(c, p, t):
    c.p(-PI * p, 0)
    c.rx(PI * t, 0)
    c.p(PI * p, 0)
    c.global_phase = PI * t / 2


def _fsim(c, theta, phi):
    c.append(library.XXPlusYYGate(2 * theta, 0.0), [0, 1])
    c.cp(-phi, 0, 1)


def _phasediswap(c, p, t):
    c.p(PI * p, 0)
    c.p(-PI * p, 1)
    c.append(library.XXPlusYYGate(-PI * t, 0.0), [0, 1])
    c.p(-PI * p, 0)
    c.p(PI * p, 1)


# Gates that Qiskit has not, in gates that it has.
WRITTEN_OUT = {
    "xpow": _xpow,
    "ypow": _ypow,
    "hpow": _hpow,
    "xxpow": _xxpow,
    "yypow": _yypow,
    "zzpow": _zzpow,
    "swappow": _swappow,
    "cxpow": _cxpow,
    "phasedx": _phasedx,
    "fsim": _fsim,
    "phasediswap": _phasediswap,
}


def _u3(angles, phase):
    inner = QuantumCircuit(1, global_phase=phase)
    inner.u(*angles, 0)
    return inner.to_gate()


def _gate(circuit, operation):
    """The gate without its further controls, and its operands in Qiskit's order."""
    angles = [angle.value(circuit.values) for angle in operation.angles]
    name, operands = operation.gate, operation.operands
    if name == "unitary":  # Qiskit's first operand is the least significant bit
        return library.UnitaryGate(operation.matrix), operands[::-1]
    if name == "pauli_rotation":  # a label's last letter belongs to the first operand
        pauli = SparsePauliOp(operation.word[::-1])
        return library.PauliEvolutionGate(pauli, time=angles[0] / 2), operands
    if name == "U":  # OpenQASM 3's has one more phase than Qiskit's
        return _u3(angles, angles[0] / 2), operands
    if name == "u3":
        if circuit.standard:
            return _u3(angles, -(angles[1] + angles[2]) / 2), operands
        return library.UGate(*angles), operands
    if name in GATES:
        return GATES[name](*angles), operands
    inner = QuantumCircuit(len(operands), name=name)
    WRITTEN_OUT[name](inner, *angles)
    return inner.to_gate(), operands


def build(circuit):
    """The circuit in Qiskit."""
    built = QuantumCircuit(circuit.qubits)
    for operation in circuit.operations:
        gate, operands = _gate(circuit, operation)
        if operation.inverse:
            gate = gate.inverse()
        if operation.controls:
            # The text's last letter belongs to the first control.
            state = "".join(str(int(positive)) for _, positive in operation.controls)[::-1]
            gate = gate.control(len(operation.controls), ctrl_state=state, annotated=True)
        for _ in range(operation.power):
            built.append(gate, [qubit for qubit, _ in operation.controls] + operands)
    return built


def evaluate(circuit):
    """Expectations, amplitudes (qubit 0 least significant, as Qiskit's); no gradients."""
    state = Statevector(build(circuit))
    expectations = []
    for observable in circuit.observables:
        terms = [
            ("".join(word.values()), list(word), coefficient) for coefficient, word in observable
        ]
        total = SparsePauliOp.from_sparse_list(terms, num_qubits=circuit.qubits)
        expectations.append(state.expectation_value(total).real)
    return {"expectations": expectations, "amplitudes": state.data}
