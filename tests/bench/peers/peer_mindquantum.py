"""MindQuantum's mqvector simulator with its own gradient operator."""

import mindquantum as mq
import numpy as np
from mindquantum.core import gates
from mindquantum.core.circuit import Circuit
from mindquantum.core.operators import Hamiltonian, QubitOperator
from mindquantum.simulator import Simulator

PACKAGES = ("mindquantum",)
PRECISION = "single"

ROTATIONS = {
    **{"rx": gates.RX, "ry": gates.RY, "rz": gates.RZ},
    **{"xpow": gates.RX, "ypow": gates.RY, "zpow": gates.RZ},
    **{"xxpow": gates.Rxx, "yypow": gates.Ryy, "zzpow": gates.Rzz},
}


def _append(built, circuit, gate):
    if gate.matrix is not None:  # MindQuantum's first qubit is the least significant
        made = gates.UnivMathGate("unitary", gate.matrix.astype(np.complex64))
        return built + made.on(list(reversed(gate.qubits)))
    if gate.name == "h":
        return built + gates.H.on(gate.qubits[0])
    if gate.name in ("cz", "cx"):
        return built + {"cz": gates.Z, "cx": gates.X}[gate.name].on(gate.qubits[1], gate.qubits[0])
    factor = gate.coefficient * (np.pi if gate.name.endswith("pow") else 1.0)
    made = Circuit([ROTATIONS[gate.name]({gate.symbol: factor}).on(list(gate.qubits))])
    return built + (made.as_encoder() if gate.symbol == circuit.datum else made)


def prepare(circuit, what, batch):
    built = Circuit()
    for gate in circuit.gates:
        built = _append(built, circuit, gate)
    total = QubitOperator()
    for qubit in circuit.observed:
        total += QubitOperator(f"Z{qubit}")
    hamiltonian = Hamiltonian(total).astype(mq.complex64)
    simulator = Simulator("mqvector", circuit.qubits, dtype=mq.complex64)
    bindings = [dict(zip(circuit.symbols, row)) for row in circuit.table(batch).tolist()]

    def forward():
        values = np.empty(batch)
        for member, binding in enumerate(bindings):
            simulator.reset()
            values[member] = simulator.get_expectation(hamiltonian, built, pr=binding).real
        return values, None

    if what == "forward":
        return forward
    simulator.reset()
    operator = simulator.get_expectation_with_grad(hamiltonian, built, parallel_worker=1)
    weights = built.ansatz_params_name
    places = [circuit.symbols.index(name) for name in weights]
    shared = np.array([circuit.values[name] for name in weights])
    data = circuit.data(batch)[:, None]

    def gradient():
        total = np.zeros(len(circuit.symbols))
        if circuit.datum:
            values, of_data, of_weights = operator(data, shared)
            total[circuit.symbols.index(circuit.datum)] = of_data.real.sum()
        else:
            values, of_weights = operator(shared)
        total[places] = of_weights.real.reshape(-1, len(weights)).sum(axis=0)
        return values.real.reshape(batch), total

    return gradient
