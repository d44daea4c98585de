"""qsim through qsimcirq; the translation of the circuit into qsim's own is part of every call.

The circuits come with their angles as numbers: resolving symbols would take Cirq longer.
"""

import cirq
import numpy as np
import qsimcirq

from cirq_circuits import build

PACKAGES = ("qsimcirq",)
PRECISION = "single"
# The widest gate that its fuser may make: the best depends on circuit and machine.
FUSED = (2, 3, 4)


def prepare(circuit, what, batch, fused=4):
    if what != "forward":
        raise SystemExit("qsim has no gradients")
    qubits = cirq.LineQubit.range(circuit.qubits)
    members = []
    for row in circuit.table(batch).tolist():
        values = dict(zip(circuit.symbols, row))
        members.append(build(circuit, qubits, values.__getitem__))
    # qsimcirq gives values term by term: the sum is one Pauli sum.
    total = cirq.PauliSum.from_pauli_strings([cirq.Z(qubits[i]) for i in circuit.observed])
    options = qsimcirq.QSimOptions(cpu_threads=1, max_fused_gate_size=fused)
    simulator = qsimcirq.QSimSimulator(options)

    def forward():
        values = [
            simulator.simulate_expectation_values(member, [total])[0].real for member in members
        ]
        return np.array(values), None

    return forward
