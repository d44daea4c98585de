"""An independent replay of QCNN training in float64 numpy: the oracle of the training tests.

It shares nothing with the program: every gate is a Pauli rotation, applied as an index permutation
and a phase to state vectors of all samples at once, and differentiated by walking backwards.

    replay.py FILE...            replays recorded runs; fails unless all numbers agree
    replay.py --record FOLDER    writes this project's own recorded runs, FOLDER/replay_*.json
    replay.py --check FOLDER     fails unless --record would write what FOLDER holds
"""

import json
import os
import sys

import numpy as np


class Rotation:
    """exp(-i pi t P / 2) with t = sign * weights[symbol]; P a Pauli string, as masks of qubits."""

    def __init__(self, qubits, paulis, symbol, sign=1.0):
        flips = sum(1 << q for q, p in paulis if p in "XY")
        signs = sum(1 << q for q, p in paulis if p in "YZ")
        index = np.arange(1 << qubits)
        self.source = index ^ flips
        parity = np.zeros(1 << qubits, dtype=int)
        for q in range(qubits):
            if signs >> q & 1:
                parity ^= self.source >> q & 1
        self.phase = (1j ** sum(p == "Y" for _, p in paulis) * (1.0 - 2.0 * parity))[:, None]
        self.symbol, self.sign = symbol, sign

    def pauli(self, state):
        return self.phase * state[self.source]

    def apply(self, state, weights, inverse=False):
        half = np.pi * self.sign * weights[self.symbol] / 2.0
        if inverse:
            half = -half
        return np.cos(half) * state - 1j * np.sin(half) * self.pauli(state)


class Cnot:
    """Flips `target` where `control` is 1."""

    symbol = None

    def __init__(self, qubits, control, target):
        index = np.arange(1 << qubits)
        self.source = np.where(index >> control & 1, index ^ (1 << target), index)

    def apply(self, state, weights, inverse=False):
        return state[self.source]


def convolution(n, qubits, s, variant):
    """The 15-parameter unitary on neighbours: even pairs, then odd pairs (ring closed if even)."""
    tutorial = variant == "tutorial"
    zz, yy, xx = (s + 6, s + 7, s + 8) if tutorial else (s + 7, s + 8, s + 9)
    pairs = list(zip(qubits[0::2], qubits[1::2]))
    pairs += list(zip(qubits[1::2], qubits[2::2] + [qubits[0]]))
    gates = []
    for a, b in pairs:
        gates += [Rotation(n, [(a, p)], s + i) for i, p in enumerate("XYZ")]
        gates += [Rotation(n, [(b, p)], s + 3 + i) for i, p in enumerate("XYZ")]
        gates += [Rotation(n, [(a, p), (b, p)], k) for p, k in (("Z", zz), ("Y", yy), ("X", xx))]
        gates += [Rotation(n, [(a, p)], s + 9 + i) for i, p in enumerate("XYZ")]
        gates += [Rotation(n, [(b, p)], s + 12 + i) for i, p in enumerate("XYZ")]
    return gates


def pooling(n, qubits, s):
    """Sources into sinks; returns the gates and the sinks."""
    half = len(qubits) // 2
    sources, sinks = qubits[:half], qubits[half:]
    gates = []
    for source, sink in zip(sources, sinks):
        gates += [Rotation(n, [(sink, p)], s + i) for i, p in enumerate("XYZ")]
        gates += [Rotation(n, [(source, p)], s + 3 + i) for i, p in enumerate("XYZ")]
        gates += [Cnot(n, source, sink)]
        gates += [Rotation(n, [(sink, p)], s + i, -1.0) for i, p in ((2, "Z"), (1, "Y"), (0, "X"))]
    return gates, sinks


class Model:
    """The reference tutorial's models; weights are a list of arrays, as Keras lists them."""

    def __init__(self, kind, qubits, filters=1, variant="tutorial"):
        self.kind, self.qubits, self.filters, self.variant = kind, qubits, filters, variant
        left, level, self.gates = list(range(qubits)), 0, []
        while level == 0 or (kind == "full" and len(left) > 1):
            self.gates += convolution(qubits, left, 21 * level, variant)
            more, left = pooling(qubits, left, 21 * level + 15)
            self.gates += more
            level += 1
        self.sinks = sorted(left)
        used = sorted({g.symbol for g in self.gates if g.symbol is not None})
        self.symbols = sorted(f"qconv{k}" for k in used)
        self.places = [int(name[5:]) for name in self.symbols]
        self.table = 21 * level
        index = np.arange(1 << qubits)
        self.z = np.array([1.0 - 2.0 * (index >> q & 1) for q in self.sinks])

    def shapes(self):
        shapes = [(len(self.symbols),)] * self.filters
        if self.kind == "one":
            shapes += [(self.filters * len(self.sinks), 8), (8,), (8, 1), (1,)]
        return shapes

    def input_states(self, excited, angle):
        """Cluster state, then RX(angle) on the excited qubit of each sample: 2^n x samples."""
        n = self.qubits
        index = np.arange(1 << n)
        state = np.full(1 << n, 2.0 ** (-n / 2), dtype=complex)
        for a in range(n):
            b = (a + 1) % n
            state = np.where((index >> a & 1) & (index >> b & 1), -state, state)
        flipped = index[:, None] ^ (1 << np.asarray(excited))[None, :]
        half = np.asarray(angle) / 2.0
        return np.cos(half) * state[:, None] - 1j * np.sin(half) * state[flipped]

    def spread(self, values):
        table = np.zeros(self.table)
        table[self.places] = values
        return table

    def run(self, states, weights):
        """Output of each sample, and what the backward pass needs."""
        finals, readouts = [], []
        for values in weights[: self.filters]:
            table, psi = self.spread(values), states
            for gate in self.gates:
                psi = gate.apply(psi, table)
            finals.append(psi)
            readouts.append(self.z @ np.abs(psi) ** 2)
        r = np.concatenate(readouts).T
        if self.kind == "full":
            return r[:, 0], (finals, r, None)
        k1, b1, k2, b2 = weights[self.filters :]
        hidden = r @ k1 + b1
        return (hidden @ k2 + b2)[:, 0], (finals, r, hidden)

    def gradient(self, states, labels, weights):
        """Mean squared error of the samples, its gradient by weight array."""
        output, (finals, r, hidden) = self.run(states, weights)
        error = output - labels
        upstream = (2.0 * error / len(labels))[:, None]
        gradients = []
        if self.kind == "one":
            k1, _, k2, _ = weights[self.filters :]
            back = upstream @ k2.T
            dense = [r.T @ back, back.sum(0), hidden.T @ upstream, upstream.sum(0)]
            upstream = back @ k1.T
        for f in range(self.filters):
            part = upstream[:, f * len(self.sinks) : (f + 1) * len(self.sinks)]
            gradients.append(self.walk_back(finals[f], weights[f], part))
        if self.kind == "one":
            gradients += dense
        return float(np.mean(error**2)), gradients

    def walk_back(self, psi, values, upstream):
        """d(sum of upstream * readouts)/d(values); U = exp(-i a P): dE/da = 2 Im <bra|P|ket>."""
        table, out = self.spread(values), np.zeros(self.table)
        bra = (upstream @ self.z).T * psi
        for gate in reversed(self.gates):
            if gate.symbol is not None:
                slope = 2.0 * np.vdot(bra, gate.pauli(psi)).imag
                out[gate.symbol] += gate.sign * np.pi / 2.0 * slope
            psi = gate.apply(psi, table, inverse=True)
            bra = gate.apply(bra, table, inverse=True)
        return out[self.places]


def train(run):
    """Replays the run described by `run`; returns the fields that a recorded run has."""
    m = run["model"]
    model = Model(m["kind"], m["qubits"], m["filters"], m["variant"])
    assert model.symbols == run["symbols"], "symbols differ"
    weights = [np.array(w, dtype=float) for w in run["initial_weights"]]
    assert [w.shape for w in weights] == model.shapes(), "shapes differ"
    labels = np.array(run["data"]["label"], dtype=float)
    states = model.input_states(run["data"]["excited_qubit"], run["data"]["angle"])
    rows, batch, o = run["train"], run["batch"], run["optimizer"]

    loss0, gradient0 = model.gradient(states[:, :rows], labels[:rows], weights)
    result = {
        "initial_train_loss": loss0,
        "initial_train_gradient": [g.tolist() for g in gradient0],
        "history": {"loss": [], "val_loss": []},
    }
    m1 = [np.zeros_like(w) for w in weights]
    m2 = [np.zeros_like(w) for w in weights]
    step = 0
    for _ in range(run["epochs"]):
        total = 0.0
        for begin in range(0, rows, batch):
            part = slice(begin, min(begin + batch, rows))
            loss, gradients = model.gradient(states[:, part], labels[part], weights)
            total += loss * (part.stop - part.start)
            step += 1
            rate = o["learning_rate"] * np.sqrt(1 - o["beta_2"] ** step) / (1 - o["beta_1"] ** step)
            for k, g in enumerate(gradients):
                m1[k] += (1 - o["beta_1"]) * (g - m1[k])
                m2[k] += (1 - o["beta_2"]) * (g * g - m2[k])
                weights[k] = weights[k] - rate * m1[k] / (np.sqrt(m2[k]) + o["epsilon"])
        result["history"]["loss"].append(total / rows)
        output, _ = model.run(states[:, rows:], weights)
        result["history"]["val_loss"].append(float(np.mean((output - labels[rows:]) ** 2)))
    result["final_weights"] = [w.tolist() for w in weights]
    result["final_predictions_validation"] = output.tolist()
    return result


def flat(value):
    """All numbers of nested lists and dictionaries, in order."""
    if isinstance(value, dict):
        return [x for key in sorted(value) for x in flat(value[key])]
    if isinstance(value, list):
        return [x for item in value for x in flat(item)]
    return [value]


# A weight that no output depends on has a gradient of pure rounding noise, which Adam turns into
# steps of about 1e-12: such weights agree less well than anything that matters.
WEIGHT_TOLERANCE = 1e-8


def disagreements(ours, theirs, loss_tolerance, gradient_tolerance):
    """What differs between two records of one run, as sentences."""
    limits = {
        "initial_train_loss": loss_tolerance,
        "initial_train_gradient": gradient_tolerance,
        "history": loss_tolerance,
        "final_weights": WEIGHT_TOLERANCE,
        "final_predictions_validation": WEIGHT_TOLERANCE,
    }
    found = []
    for key, limit in limits.items():
        a, b = np.array(flat(ours[key])), np.array(flat(theirs[key]))
        if a.shape != b.shape:
            found.append(f"{key}: {a.size} numbers instead of {b.size}")
            continue
        scale = np.abs(b) if key in ("initial_train_loss", "history") else 1.0
        worst = float(np.max(np.abs(a - b) / scale))
        if not worst <= limit:
            found.append(f"{key}: differs by {worst:.3g}, allowed {limit:.3g}")
    return found


# name: kind, qubits, filters, variant, samples, training rows, batch (uneven), epochs, seed
OWN_RUNS = {
    "full_n2": ("full", 2, 1, "tutorial", 14, 10, 4, 6, 202),
    "full_n3": ("full", 3, 1, "tutorial", 18, 13, 5, 5, 303),
    "full_n4": ("full", 4, 1, "tutorial", 20, 15, 7, 5, 404),
    "hybrid3_n5": ("one", 5, 3, "tutorial", 20, 14, 8, 4, 505),
    "hybrid_n4": ("one", 4, 1, "tutorial", 16, 11, 4, 6, 414),
    "multiworker_n6": ("one", 6, 1, "tfq-multiworker", 24, 17, 6, 4, 606),
}


def own_run(kind, qubits, filters, variant, samples, rows, batch, epochs, seed):
    """Data and initial weights from numpy's seeded generator, as float32 values (Keras' files)."""
    random = np.random.RandomState(seed)
    model = Model(kind, qubits, filters, variant)
    angle = random.uniform(-np.pi, np.pi, samples).astype(np.float32).astype(float)
    weights = []
    for shape in model.shapes():
        if len(shape) == 2:
            limit = np.sqrt(6.0 / sum(shape))
            w = random.uniform(-limit, limit, shape)
        elif shape == (len(model.symbols),) and len(weights) < filters:
            w = random.uniform(0.0, 2.0 * np.pi, shape)
        else:
            w = random.uniform(-0.2, 0.2, shape)
        weights.append(w.astype(np.float32).astype(float).tolist())
    run = {
        "what": "a run of tests/reference/replay.py (float64); no shuffling",
        "model": {"kind": kind, "qubits": qubits, "filters": filters, "variant": variant},
        "optimizer": {
            "name": "adam",
            "learning_rate": 0.02,
            "beta_1": 0.9,
            "beta_2": 0.999,
            "epsilon": 1e-07,
        },
        "loss": "mse",
        "batch": batch,
        "epochs": epochs,
        "train": rows,
        "data": {
            "excited_qubit": random.randint(0, qubits, samples).tolist(),
            "angle": angle.tolist(),
            "label": np.where(np.abs(angle) <= np.pi / 2, 1.0, -1.0).tolist(),
        },
        "symbols": model.symbols,
        "initial_weights": weights,
    }
    run["exact"] = train(run)
    return run


def replay(path):
    """Replays a recorded run and prints how well it agrees; returns the disagreements."""
    with open(path) as file:
        run = json.load(file)
    found = disagreements(train(run), run["exact"], 1e-9, 1e-10)
    print(f"{path}: {'; '.join(found) or 'agrees'}")
    return found


def main(arguments):
    if len(arguments) == 2 and arguments[0] in ("--record", "--check"):
        bad = 0
        for name, settings in OWN_RUNS.items():
            path = os.path.join(arguments[1], f"replay_{name}.json")
            run = own_run(*settings)
            if arguments[0] == "--record":
                with open(path, "w") as file:
                    json.dump(run, file, separators=(",", ":"))
                    file.write("\n")
                continue
            with open(path) as file:
                stored = json.load(file)
            exact = stored.pop("exact")
            found = disagreements(run.pop("exact"), exact, 1e-12, 1e-12)
            if run != stored:
                found.append("data, weights or settings differ")
            print(f"{path}: {'; '.join(found) or 'reproduced'}")
            bad += bool(found)
        return 1 if bad else 0
    if not arguments or arguments[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    return 1 if any([replay(path) for path in arguments]) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
