"""Qulacs: a parametric circuit, and its backprop for gradients. Double precision is all it has."""

import numpy as np
import qulacs

PACKAGES = ("qulacs",)
PRECISION = "double"

PAULIS = {"X": 1, "Y": 2, "Z": 3}


def _parametric(built, gate):
    """Appends a gate exp(+i angle P/2): Qulacs' rotations have the opposite sign."""
    word = gate.name[: -len("pow")].upper() if gate.name.endswith("pow") else gate.name[1].upper()
    if len(word) == 2:
        built.add_parametric_multi_Pauli_rotation_gate(
            list(gate.qubits), [PAULIS[letter] for letter in word], 0.0
        )
    else:
        getattr(built, f"add_parametric_R{word}_gate")(gate.qubits[0], 0.0)
    return -gate.coefficient * (np.pi if gate.name.endswith("pow") else 1.0)


def prepare(circuit, what, batch):
    built = qulacs.ParametricQuantumCircuit(circuit.qubits)
    places, factors = [], []  # of each parametric gate: its symbol, d(angle)/d(symbol)
    for gate in circuit.gates:
        if gate.matrix is not None:  # Qulacs' first target is the least significant
            built.add_dense_matrix_gate(list(reversed(gate.qubits)), gate.matrix)
        elif gate.symbol:
            places.append(circuit.symbols.index(gate.symbol))
            factors.append(_parametric(built, gate))
        else:
            name = {"h": "H", "cz": "CZ", "cx": "CNOT"}[gate.name]
            getattr(built, f"add_{name}_gate")(*gate.qubits)
    observable = qulacs.Observable(circuit.qubits)
    for qubit in circuit.observed:
        observable.add_operator(1.0, f"Z {qubit}")
    places, factors = np.array(places, dtype=int), np.array(factors)
    table = circuit.table(batch)
    state = qulacs.QuantumState(circuit.qubits)

    # Weights are set for the first member of a batch, the datum for every one.
    names = [circuit.symbols[place] for place in places]
    varied = [number for number, name in enumerate(names) if name == circuit.datum]

    def bind(member):
        angles = table[member][places] * factors
        for number in varied if member else range(len(places)):
            built.set_parameter(int(number), float(angles[number]))

    def forward():
        values = np.empty(batch)
        for member in range(batch):
            bind(member)
            state.set_zero_state()
            built.update_quantum_state(state)
            values[member] = observable.get_expectation_value(state)
        return values, None

    def gradient():
        total = np.zeros(len(circuit.symbols))
        for member in range(batch):
            bind(member)
            np.add.at(total, places, factors * np.array(built.backprop(observable)))
        return None, total  # backprop does not give the values

    return forward if what == "forward" else gradient
