"""PennyLane's lightning.qubit, with its adjoint differentiation."""

import numpy as np
import pennylane as qml
from pennylane import numpy as pnp

PACKAGES = ("pennylane-lightning",)
PRECISION = "single"

FIXED = {"h": qml.Hadamard, "cz": qml.CZ, "cx": qml.CNOT}
ROTATIONS = {
    **{"rx": qml.RX, "ry": qml.RY, "rz": qml.RZ},
    **{"xpow": qml.RX, "ypow": qml.RY, "zpow": qml.RZ},
    **{"xxpow": qml.IsingXX, "yypow": qml.IsingYY, "zzpow": qml.IsingZZ},
}


def prepare(circuit, what, batch):
    device = qml.device("lightning.qubit", wires=circuit.qubits, c_dtype=np.complex64)
    places = {name: number for number, name in enumerate(circuit.symbols)}
    total = [qml.Z(qubit) for qubit in circuit.observed]
    total = total[0] if len(total) == 1 else qml.sum(*total)

    @qml.qnode(device, diff_method="adjoint", interface="autograd")
    def expectation(values):
        for gate in circuit.gates:
            if gate.matrix is not None:
                qml.QubitUnitary(gate.matrix, wires=gate.qubits)
            elif gate.symbol:
                factor = gate.coefficient * (np.pi if gate.name.endswith("pow") else 1.0)
                ROTATIONS[gate.name](factor * values[places[gate.symbol]], wires=gate.qubits)
            else:
                FIXED[gate.name](wires=gate.qubits)
        return qml.expval(total)

    table = circuit.table(batch)
    plain = [pnp.array(row, requires_grad=False) for row in table]
    trainable = [pnp.array(row, requires_grad=True) for row in table]
    differentiated = qml.grad(expectation)

    def forward():
        return np.array([float(expectation(row)) for row in plain]), None

    def gradient():
        derivatives, values = np.zeros(len(circuit.symbols)), np.empty(batch)
        for member, row in enumerate(trainable):
            derivatives += differentiated(row)
            values[member] = differentiated.forward
        return values, derivatives

    return forward if what == "forward" else gradient
