"""Random circuits over the whole gate table, as data, and their text in OpenQASM 3."""

import dataclasses

import numpy as np

# Name in wavetrain.inc -> (number of angles, number of operands).
TABLE = {
    **{name: (0, 1) for name in "id x y z h s sdg t tdg sx sxdg".split()},
    **{name: (0, 2) for name in "swap iswap iswapdg cx cy cz ch".split()},
    **{name: (0, 3) for name in "ccx ccz cswap".split()},
    **{name: (1, 1) for name in "rx ry rz xpow ypow zpow hpow p".split()},
    **{name: (1, 2) for name in "rxx ryy rzz xxpow yypow zzpow swappow iswappow".split()},
    **{name: (1, 2) for name in "cxpow czpow crx cry crz cp".split()},
    **{"r": (2, 1), "phasedx": (2, 1), "fsim": (2, 2), "phasediswap": (2, 2)},
    **{"u3": (3, 1), "cu3": (3, 2), "U": (3, 1), "gphase": (1, 0)},
    **{"cu": (4, 2)},  # in stdgates.inc only
    **{"unitary": (0, None), "pauli_rotation": (1, None)},
}


@dataclasses.dataclass
class Angle:
    """constant + the sum of coefficient * symbol."""

    constant: float
    terms: list  # (coefficient, number of the symbol)

    def value(self, values):
        total = self.constant
        for coefficient, symbol in self.terms:
            total = total + coefficient * values[symbol]
        return total

    def text(self, names):
        pieces = [f"({coefficient!r})*{names[symbol]}" for coefficient, symbol in self.terms]
        if self.constant or not pieces:
            pieces.append(f"({self.constant!r})")
        return " + ".join(pieces)


@dataclasses.dataclass
class Operation:
    """A gate of the table on `operands` (its own controls first), with further controls."""

    gate: str
    angles: list
    operands: list
    controls: list  # (qubit, True if it acts where the qubit is 1)
    inverse: bool = False
    power: int = 1
    matrix: np.ndarray | None = None  # of a unitary: first operand most significant
    word: str = ""  # of a Pauli rotation

    @property
    def qubits(self):
        return [qubit for qubit, _ in self.controls] + self.operands


@dataclasses.dataclass
class Circuit:
    """Operations, the values of the symbols, and Pauli sums: lists of (coefficient, {qubit: P})."""

    seed: int
    qubits: int
    standard: bool  # stdgates.inc is included, and its u3 wins
    arrays: list  # (name, length or None): the inputs in the order of `values`
    values: list
    operations: list
    observables: list

    @property
    def names(self):
        names = []
        for name, length in self.arrays:
            names += [name] if length is None else [f"{name}[{i}]" for i in range(length)]
        return names

    def bindings(self):
        """What --bind takes."""
        left = list(self.values)
        for name, length in self.arrays:
            taken = [left.pop(0) for _ in range(length or 1)]
            yield f"{name}=" + ",".join(map(repr, taken))

    def qasm(self):
        lines = ["OPENQASM 3.0;"]
        includes = ["stdgates.inc", "wavetrain.inc"] if self.standard else ["wavetrain.inc"]
        lines += [f'include "{name}";' for name in includes]
        for name, length in self.arrays:
            kind = "float" if length is None else f"array[float[64], {length}]"
            lines.append(f"input {kind} {name};")
        body = []
        for number, operation in enumerate(self.operations):
            name = operation.gate
            if operation.matrix is not None:
                name = f"matrix_{number}"
                entries = ", ".join(f"[{z.real},{z.imag}]" for z in operation.matrix.flat)
                size = len(operation.operands)
                lines.append(f"pragma wavetrain unitary {name} {size} [{entries}]")
            elif operation.word:
                name = f"rotation_{number}"
                lines.append(f"pragma wavetrain pauli_rotation {name} {operation.word}")
            body.append(self._call(name, operation))
        return "\n".join([*lines, f"qubit[{self.qubits}] q;", *body]) + "\n"

    def _call(self, name, operation):
        controls = ["ctrl @ " if positive else "negctrl @ " for _, positive in operation.controls]
        text = "".join(controls)
        text += "inv @ " if operation.inverse else ""
        text += f"pow({operation.power}) @ " if operation.power > 1 else ""
        text += name
        if operation.angles:
            text += "(" + ", ".join(angle.text(self.names) for angle in operation.angles) + ")"
        return text + " " + ", ".join(f"q[{qubit}]" for qubit in operation.qubits) + ";"


def observable_text(observable):
    """The Pauli sum as --observe takes it; the first term gets a factor Y0*Y0, which is 1."""
    pieces = []
    for number, (coefficient, word) in enumerate(observable):
        factors = [f"{abs(coefficient)!r}"] + ["Y0*Y0"] * (number == 0)
        factors += [f"{p}{qubit}" for qubit, p in word.items()]
        pieces.append(("- " if coefficient < 0 else "+ ") + "*".join(factors))
    return " ".join(pieces)


def random_circuit(seed):
    """A circuit of 2 to 7 qubits and 5 to 40 gates; its symbols occur in several gates."""
    rng = np.random.default_rng(seed)
    qubits = int(rng.integers(2, 8))
    arrays = [("theta", None), ("w", int(rng.integers(1, 4)))]
    if rng.random() < 0.5:
        arrays.append(("datum", None))
    symbols = sum(length or 1 for _, length in arrays)
    standard = bool(rng.random() < 0.3)
    # Mostly from a state without zeros, in which no gate and no observable goes unseen.
    first = range(qubits) if rng.random() < 0.8 else []
    operations = [
        Operation(str(rng.choice(["rx", "ry"])), [_angle(rng, symbols)], [qubit], [])
        for qubit in first
    ]
    more = rng.integers(5, 41 - len(first))
    operations += [_operation(rng, qubits, symbols, standard) for _ in range(more)]
    observables = [_observable(rng, qubits) for _ in range(rng.integers(1, 4))]
    values = [float(value) for value in rng.uniform(-2, 2, symbols)]
    return Circuit(seed, qubits, standard, arrays, values, operations, observables)


def _operation(rng, qubits, symbols, standard):
    fitting = [name for name, (_, operands) in TABLE.items() if (operands or 1) <= qubits]
    if not standard:
        fitting.remove("cu")
    gate = fitting[rng.integers(len(fitting))]
    angles, operands = TABLE[gate]
    if operands is None:
        operands = int(rng.integers(1, min(qubits, 3 if gate == "unitary" else 5) + 1))
    free = [int(qubit) for qubit in rng.permutation(qubits)]
    taken, free = free[:operands], free[operands:]
    extra = 0
    if free and (rng.random() < 0.25 or (gate == "gphase" and rng.random() < 0.8)):
        extra = int(rng.integers(1, min(len(free), 3) + 1))
    operation = Operation(
        gate,
        [_angle(rng, symbols) for _ in range(angles)],
        taken,
        [(qubit, bool(rng.random() < 0.5)) for qubit in free[:extra]],
        inverse=bool(rng.random() < 0.15),
        power=int(rng.integers(2, 4)) if rng.random() < 0.1 else 1,
    )
    if gate == "unitary":
        size = 2**operands
        square = rng.normal(size=(size, size)) + 1j * rng.normal(size=(size, size))
        operation.matrix = np.linalg.qr(square)[0]
    if gate == "pauli_rotation":
        operation.word = "".join(rng.choice(list("XYZ"), operands))
    return operation


def _angle(rng, symbols):
    kind = rng.random()
    constant = round(float(rng.uniform(-3, 3)), 3)
    if kind < 0.2:
        return Angle(constant, [])
    chosen = rng.choice(symbols, size=1 if kind < 0.8 else 2, replace=False)
    terms = [(round(float(rng.uniform(-1.5, 1.5)), 3), int(symbol)) for symbol in chosen]
    if kind < 0.4:
        return Angle(0.0, [(1.0, terms[0][1])])
    return Angle(constant, terms)


def _observable(rng, qubits):
    terms = []
    for _ in range(rng.integers(1, 6)):
        size = int(rng.integers(0, min(qubits, 4) + 1))
        where = sorted(int(qubit) for qubit in rng.permutation(qubits)[:size])
        word = {qubit: str(rng.choice(list("XYZ"))) for qubit in where}
        terms.append((float(rng.uniform(-1, 1)), word))
    if rng.random() < 0.3:
        terms.append((float(rng.uniform(-1, 1)), terms[0][1]))
    return terms
