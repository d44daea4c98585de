"""The benchmarks' circuits as data, and their text in OpenQASM 3 for Wavetrain.

circuits.py NAME QUBITS   prints the OpenQASM
"""

import dataclasses
import os
import sys

import numpy as np

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../.."))
PROGRAM = os.environ.get("WAVETRAIN_PROGRAM", os.path.join(ROOT, "build/release/wavetrain"))


@dataclasses.dataclass
class Gate:
    """A gate of wavetrain.inc; its angle is coefficient * (value of the symbol)."""

    name: str
    qubits: tuple
    symbol: str = ""
    coefficient: float = 1.0
    matrix: np.ndarray | None = None  # of a unitary; first qubit most significant


@dataclasses.dataclass
class Circuit:
    """Gates, the symbols' values, and what is read: <Z> of each of `observed`."""

    name: str
    qubits: int
    gates: list = dataclasses.field(default_factory=list)
    values: dict = dataclasses.field(default_factory=dict)  # symbol: value, in order
    datum: str = ""  # the symbol that varies over a batch; the others are weights
    observed: list = dataclasses.field(default_factory=list)
    summed: bool = False  # one observable, the sum, instead of one for each qubit

    def add(self, name, *qubits, symbol="", coefficient=1.0, matrix=None):
        self.gates.append(Gate(name, qubits, symbol, coefficient, matrix))

    @property
    def symbols(self):
        return list(self.values)

    @property
    def shifts(self):
        """Executions of a shift rule: each gate with a symbol goes up and down once."""
        return 2 * sum(bool(gate.symbol) for gate in self.gates)

    def data(self, batch):
        """The datum of each member of a batch."""
        return self.values[self.datum] + 0.01 * np.arange(batch) if self.datum else np.zeros(batch)

    def table(self, batch):
        """Values of all symbols, a row for each member of a batch."""
        rows = np.tile(np.array(list(self.values.values())), (batch, 1))
        if self.datum:
            rows[:, self.symbols.index(self.datum)] = self.data(batch)
        return rows

    def observables(self):
        """As --observe takes them."""
        words = [f"Z{qubit}" for qubit in self.observed]
        return [" + ".join(words)] if self.summed else words

    def bindings(self, member=0):
        """As --bind takes them."""
        values = self.table(member + 1)[member]
        return [f"{symbol}={float(value)!r}" for symbol, value in zip(self.symbols, values)]

    def qasm(self):
        lines = ["OPENQASM 3.0;", 'include "wavetrain.inc";']
        lines += [f"input float {symbol};" for symbol in self.symbols]
        body = []
        for number, gate in enumerate(self.gates):
            name = gate.name
            if gate.matrix is not None:
                name = f"matrix_{number}"
                numbers = gate.matrix.reshape(-1).tolist()
                entries = ", ".join(f"[{z.real!r}, {z.imag!r}]" for z in numbers)
                lines.append(f"pragma wavetrain unitary {name} {len(gate.qubits)} [{entries}]")
            angle = {1.0: gate.symbol, -1.0: f"-{gate.symbol}"}[gate.coefficient]
            call = f"{name}({angle})" if gate.symbol else name
            body.append(f"{call} {', '.join(f'q[{qubit}]' for qubit in gate.qubits)};")
        return "\n".join([*lines, f"qubit[{self.qubits}] q;", *body]) + "\n"


class _Qcnn:
    """The quantum convolutional network of TensorFlow Quantum's tutorial."""

    def __init__(self, name, qubits, excited):
        self.circuit = Circuit(name, qubits)
        for i in range(qubits):
            self.circuit.add("h", i)
        for i in range(qubits):
            self.circuit.add("cz", i, (i + 1) % qubits)
        for i in excited:
            self.circuit.values[f"excitation{i}"] = 0.8
            self.circuit.add("rx", i, symbol=f"excitation{i}")
        self.circuit.datum = self.circuit.symbols[0]
        self.random = np.random.default_rng(qubits)
        self.first = 0

    def level(self, qubits):
        """A convolution and a pooling with 21 weights of their own; the qubits that stay."""
        names = [f"qconv{self.first + i}" for i in range(21)]
        self.first += 21
        for name in names:
            self.circuit.values[name] = float(self.random.uniform(0, 1))
        for i in range(0, len(qubits) - 1, 2):
            self._two(names, qubits[i], qubits[i + 1])
        for i in range(1, len(qubits), 2):
            self._two(names, qubits[i], qubits[(i + 1) % len(qubits)])
        sources = len(qubits) // 2
        for source, sink in zip(qubits[:sources], qubits[sources:]):
            self._pool(names[15:], source, sink)
        return qubits[sources:]

    def _one(self, names, qubit):
        for gate, name in zip(("xpow", "ypow", "zpow"), names):
            self.circuit.add(gate, qubit, symbol=name)

    def _two(self, names, a, b):
        self._one(names, a)
        self._one(names[3:], b)
        for gate, name in zip(("zzpow", "yypow", "xxpow"), names[6:]):
            self.circuit.add(gate, a, b, symbol=name)
        self._one(names[9:], a)
        self._one(names[12:], b)

    def _pool(self, names, source, sink):
        self._one(names, sink)
        self._one(names[3:], source)
        self.circuit.add("cx", source, sink)
        for gate, name in (("zpow", names[2]), ("ypow", names[1]), ("xpow", names[0])):
            self.circuit.add(gate, sink, symbol=name, coefficient=-1.0)


def qcnn(qubits, excited=None):
    """Levels until one qubit is left; <Z> of it."""
    writer = _Qcnn("qcnn", qubits, [qubits // 2] if excited is None else excited)
    left = list(range(qubits))
    while len(left) > 1:
        left = writer.level(left)
    writer.circuit.observed = left
    return writer.circuit


def qcnn_multi(qubits):
    """One level; <Z> of each qubit that it leaves: the circuit of the hybrid models."""
    writer = _Qcnn("qcnn_multi", qubits, [qubits // 2])
    writer.circuit.observed = writer.level(list(range(qubits)))
    return writer.circuit


def _random_unitary(random):
    """Haar-distributed: Mezzadri, Notices of the AMS 54, 592 (2007)."""
    normal = random.normal(size=(4, 4)) + 1j * random.normal(size=(4, 4))
    q, r = np.linalg.qr(normal)
    return q * (np.diag(r) / np.abs(np.diag(r)))


def brickwork(qubits, layers=10, weights=False):
    """Layers of random unitaries on neighbours, by turns from qubit 0 and from 1; the sum of Z."""
    circuit = Circuit("brickwork_weights" if weights else "brickwork", qubits)
    random = np.random.default_rng(qubits)
    for layer in range(layers):
        for i in range(qubits if weights else 0):
            circuit.values[f"w{layer}_{i}"] = float(random.uniform(0, 2 * np.pi))
            circuit.add("ry", i, symbol=f"w{layer}_{i}")
        for i in range(layer % 2, qubits - 1, 2):
            circuit.add("unitary", i, i + 1, matrix=_random_unitary(random))
    circuit.observed, circuit.summed = list(range(qubits)), True
    return circuit


def brickwork_weights(qubits):
    """The same with RY of a weight on every qubit before each layer, so that it has a gradient."""
    return brickwork(qubits, weights=True)


def hardware_efficient(qubits, layers=10):
    """Layers of RY and RZ on each qubit and CZ around the ring; the sum of Z."""
    circuit = Circuit("hardware_efficient", qubits)
    random = np.random.default_rng(qubits)
    for layer in range(layers):
        for i in range(qubits):
            for gate in ("ry", "rz"):
                name = f"{gate}{layer}_{i}"
                circuit.values[name] = float(random.uniform(0, 2 * np.pi))
                circuit.add(gate, i, symbol=name)
        for i in range(qubits):
            circuit.add("cz", i, (i + 1) % qubits)
    circuit.observed, circuit.summed = list(range(qubits)), True
    return circuit


def strongly_entangling(qubits, layers=4):
    """RZ RY RZ on each qubit, a ring of CNOTs: the cone of every Z is the whole register."""
    circuit = Circuit("strongly_entangling", qubits)
    random = np.random.default_rng(qubits)
    for layer in range(layers):
        for i in range(qubits):
            for part, gate in enumerate(("rz", "ry", "rz")):
                name = f"w{layer}_{i}_{part}"
                circuit.values[name] = float(random.uniform(0, 2 * np.pi))
                circuit.add(gate, i, symbol=name)
        for i in range(qubits):
            circuit.add("cx", i, (i + layer % (qubits - 1) + 1) % qubits)
    circuit.observed, circuit.summed = list(range(qubits)), True
    return circuit


CIRCUITS = {
    make.__name__: make
    for make in (
        qcnn,
        qcnn_multi,
        brickwork,
        brickwork_weights,
        hardware_efficient,
        strongly_entangling,
    )
}


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] in CIRCUITS:
        print(CIRCUITS[sys.argv[1]](int(sys.argv[2])).qasm(), end="")
    else:
        sys.exit(f"{__doc__}\nNAME: {', '.join(CIRCUITS)}")
