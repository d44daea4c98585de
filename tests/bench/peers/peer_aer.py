"""Qiskit Aer's state-vector simulator; its own loop over the bindings of a batch."""

import numpy as np
from qiskit import QuantumCircuit
from qiskit.circuit import Parameter
from qiskit.quantum_info import SparsePauliOp
from qiskit_aer import AerSimulator

PACKAGES = ("qiskit-aer",)
PRECISION = "single"

ROTATIONS = {
    **{"rx": "rx", "ry": "ry", "rz": "rz", "xpow": "rx", "ypow": "ry", "zpow": "rz"},
    **{"xxpow": "rxx", "yypow": "ryy", "zzpow": "rzz"},
}


def prepare(circuit, what, batch):
    if what != "forward":
        raise SystemExit("Aer has no gradients")
    parameters = {name: Parameter(name) for name in circuit.symbols}
    built = QuantumCircuit(circuit.qubits)
    for gate in circuit.gates:
        if gate.matrix is not None:  # Qiskit's first qubit is the least significant
            built.unitary(gate.matrix, list(reversed(gate.qubits)))
        elif gate.symbol:
            factor = gate.coefficient * (np.pi if gate.name.endswith("pow") else 1.0)
            getattr(built, ROTATIONS[gate.name])(factor * parameters[gate.symbol], *gate.qubits)
        else:
            getattr(built, gate.name)(*gate.qubits)
    terms = [("Z", [qubit], 1.0) for qubit in circuit.observed]
    total = SparsePauliOp.from_sparse_list(terms, num_qubits=circuit.qubits)
    built.save_expectation_value(total, list(range(circuit.qubits)))
    backend = AerSimulator(method="statevector", precision="single", max_parallel_threads=1)
    columns = circuit.table(batch).T.tolist()
    binds = [{parameters[name]: column for name, column in zip(circuit.symbols, columns)}]
    options = {"parameter_binds": binds} if parameters else {}

    def forward():
        result = backend.run(built, shots=1, **options).result()
        return np.array([result.data(i)["expectation_value"] for i in range(batch)]), None

    return forward
