"""Circuits as a user writes them: the handed cases, and what `simulate` prints and refuses."""

import json
import os
import unittest
from math import cos, pi, sin, sqrt

import h5py
import numpy as np

import support

METHODS = ("adjoint", "parameter_shift", "finite_difference")
VERSION_3 = 'OPENQASM 3;\ninclude "wavetrain.inc";\n'
VERSION_2 = 'OPENQASM 2.0;\ninclude "qelib1.inc";\n'
# Five-point differences lose about half of a double's digits.
TOLERANCE = {"adjoint": 1e-10, "parameter_shift": 1e-10, "finite_difference": 1e-8}


def twelve_names():
    return [f"v{k}" for k in range(12)]


# Section A: name -> (declarations, gates, observables, inputs, values(inputs), gradients(inputs)).
# Gradients by input: one number (or list, for arrays) for each observable.
GRADIENT_CASES = {
    "B01a": (
        "input float v; qubit[2] q;",
        "ry(v) q[0]; ry(v) q[1];",
        ["Z0*Z1"],
        {"v": 0.4},
        lambda v: [cos(v) ** 2],
        lambda v: {"v": [-sin(2 * v)]},
    ),
    "B02": (
        "input float v; qubit[1] q;",
        "rx(2*v + 1) q[0];",
        ["Z0"],
        {"v": 0.3},
        lambda v: [cos(2 * v + 1)],
        lambda v: {"v": [-2 * sin(2 * v + 1)]},
    ),
    "B04": (
        "input float e; qubit[1] q;",
        "rx((2*e)**3) q[0];",
        ["Z0"],
        {"e": 0.5},
        lambda e: [cos(8 * e**3)],
        lambda e: {"e": [-24 * e**2 * sin(8 * e**3)]},
    ),
    "B05": (
        "input float v; qubit[2] q;",
        "h q[0]; crx(v) q[0], q[1];",
        ["X0"],
        {"v": 0.9},
        lambda v: [cos(v / 2)],
        lambda v: {"v": [-sin(v / 2) / 2]},
    ),
    "B06": (
        "input float v; qubit[2] q;",
        "h q; cp(v) q[0], q[1];",
        ["X1"],
        {"v": 0.7},
        lambda v: [(1 + cos(v)) / 2],
        lambda v: {"v": [-sin(v) / 2]},
    ),
    "B08": (
        "input float a; input float b; qubit[2] q;",
        "rx(a) q[0]; ry(b) q[1];",
        ["Z0 + 2*Z1"],
        {"a": 0.7, "b": 0.7},
        lambda a, b: [cos(a) + 2 * cos(b)],
        lambda a, b: {"a": [-sin(a)], "b": [-2 * sin(b)]},
    ),
    "B09": (
        "pragma wavetrain unitary same 2 [" + ",".join(
            f"[{int(k % 5 == 0)},0]" for k in range(16)
        ) + "]\ninput array[float[64], 3] w; qubit[3] q;",
        "ry(w[0]) q[0]; ry(w[1]) q[1]; ry(w[2]) q[2]; same q[0], q[1];",
        ["Z0*Z1*Z2"],
        {"w": [0.2, 0.5, 0.9]},
        lambda w: [cos(w[0]) * cos(w[1]) * cos(w[2])],
        lambda w: {
            "w": [
                [
                    -sin(w[0]) * cos(w[1]) * cos(w[2]),
                    -cos(w[0]) * sin(w[1]) * cos(w[2]),
                    -cos(w[0]) * cos(w[1]) * sin(w[2]),
                ]
            ]
        },
    ),
    "B09_one_not_trainable": (
        "input float a; input float c; qubit[3] q;",
        "ry(a) q[0]; ry(0.5) q[1]; ry(c) q[2];",
        ["Z0*Z1*Z2"],
        {"a": 0.2, "c": 0.9},
        lambda a, c: [cos(a) * cos(0.5) * cos(c)],
        lambda a, c: {
            "a": [-sin(a) * cos(0.5) * cos(c)],
            "c": [-cos(a) * cos(0.5) * sin(c)],
        },
    ),
    "B11": (
        "pragma wavetrain pauli_rotation rxy XY\ninput float v; qubit[3] q;",
        "rxy(v) q[1], q[2];",
        ["Z1 + 10*Z0"],
        {"v": 0.6},
        lambda v: [cos(v) + 10],
        lambda v: {"v": [-sin(v)]},
    ),
    "B12": (
        "input float v; qubit[1] q;",
        "rx(v) q[0];",
        ["Y0"],
        {"v": 0.6},
        lambda v: [-sin(v)],
        lambda v: {"v": [-cos(v)]},
    ),
    "B13": (
        "".join(f"input float {name};" for name in twelve_names()) + " qubit[12] q;",
        "".join(f"rx(v{k}) q[{k}];" for k in range(12)),
        [" + ".join(f"{k + 1}*Z{k}" for k in range(12))],
        {f"v{k}": 0.1 * (k + 1) for k in range(12)},
        lambda **v: [sum((k + 1) * cos(v[f"v{k}"]) for k in range(12))],
        lambda **v: {f"v{k}": [-(k + 1) * sin(v[f"v{k}"])] for k in range(12)},
    ),
    "B15": (
        "input float v; qubit[2] q;",
        "rx(0.4) q[0]; ryy(v) q[0], q[1];",
        ["Z0"],
        {"v": 0.5},
        lambda v: [cos(0.4) * cos(v)],
        lambda v: {"v": [-cos(0.4) * sin(v)]},
    ),
    "B16": (
        "input float e; qubit[1] q;",
        "xpow(e) q[0];",
        ["Z0"],
        {"e": 0.25},
        lambda e: [cos(pi * e)],
        lambda e: {"e": [-pi * sin(pi * e)]},
    ),
    "B18": (
        "input float v; qubit[1] q;",
        "rx(v) q[0];",
        ["Z0"],
        {"v": 0.9},
        lambda v: [cos(v)],
        lambda v: {"v": [-sin(v)]},
    ),
    "B19": (
        "input float e; qubit[2] q;",
        "h q[0]; cx q[0], q[1]; cp(e) q[0], q[1]; cx q[0], q[1]; h q[0];",
        ["Z0"],
        {"e": 2.0},
        lambda e: [cos(e)],
        lambda e: {"e": [-sin(e)]},
    ),
    "B22": ("qubit[1] q;", "x q[0];", ["Z0"], {}, lambda: [-1], lambda: {}),
    "B23": ("qubit[2] q;", "", ["Z0*X1", "Z0"], {}, lambda: [0, 1], lambda: {}),
    "B23_gap": (
        "input float v; qubit[2] q;",
        "rx(v) q[0]; barrier q; barrier q; x q[1];",
        ["Z0", "Z1"],
        {"v": 0.3},
        lambda v: [cos(v), -1],
        lambda v: {"v": [-sin(v), 0]},
    ),
    "B24": (
        "input float v; qubit[1] q;",
        "rx(v) q[0];",
        ["Z0"],
        {"v": 0.0},
        lambda v: [1],
        lambda v: {"v": [0]},
    ),
}


def circuit_of(name):
    declarations, gates = GRADIENT_CASES[name][:2]
    return f"{VERSION_3}{declarations}\n{gates}\n"


def bindings(inputs):
    result = []
    for name, value in inputs.items():
        numbers = value if isinstance(value, list) else [value]
        result += ["--bind", f"{name}=" + ",".join(repr(number) for number in numbers)]
    return result


class SimulateTest(support.AppTest):
    def simulate(self, text, *arguments, observe=(), bind=None, **options):
        """The JSON of one circuit; `observe` are observables, `bind` values of inputs."""
        path = self.write("circuit.qasm", text)
        observables = [part for o in observe for part in ("--observe", o)]
        done = self.succeed(
            "simulate", path, "--json", *observables, *bindings(bind or {}), *arguments, **options
        )
        return json.loads(done.stdout)

    def values(self, text, observe, *arguments, bind=None, **options):
        return self.simulate(text, *arguments, observe=observe, bind=bind, **options)[
            "expectations"
        ]

    def close(self, found, wanted, tolerance=1e-10):
        np.testing.assert_allclose(found, wanted, rtol=0, atol=tolerance)

    def refused(self, text, *says, code=2, arguments=("--observe", "Z0")):
        path = self.write("circuit.qasm", text)
        return self.refuse(code, "simulate", path, *arguments, says=says)


class Gradients(SimulateTest):
    """Section A of the cases, one call a method."""

    def check(self, name, *arguments, methods=METHODS, tolerance=None):
        _, _, observe, inputs, values, gradients = GRADIENT_CASES[name]
        for method in methods:
            with self.subTest(case=name, method=method):
                result = self.simulate(
                    circuit_of(name),
                    "--gradient",
                    method,
                    *arguments,
                    observe=observe,
                    bind=inputs,
                )
                within = tolerance or TOLERANCE[method]
                self.close(result["expectations"], values(**inputs), tolerance or 1e-10)
                wanted = gradients(**inputs)
                self.assertEqual(set(result["gradients"]), set(wanted))
                for key, rows in wanted.items():
                    self.close(result["gradients"][key], rows, within)

    def test_single_precision(self):
        for name in ("B05", "B09", "B11"):
            self.check(name, "--precision", "single", methods=METHODS[:2], tolerance=2e-5)

    def test_B21_finite_differences_in_single_precision(self):
        self.check("B18", "--precision", "single", methods=METHODS[2:], tolerance=1e-4)

    def test_eager(self):
        for name in ("B05", "B13"):
            self.check(name, "--eager")

    def test_cases_on_ranks_and_threads(self):
        """All cases in one training: a step of size 1 down the sum of their observables."""
        layers, start, value, slope = [], {}, 0.0, {}
        for name, (_, _, observe, inputs, values, gradients) in GRADIENT_CASES.items():
            self.write(f"{name}.qasm", circuit_of(name))
            layers.append(
                f'[[model.layers]]\ntype = "quantum"\nname = "{name}"\nfile = "{name}.qasm"\n'
                f"observables = {json.dumps(observe)}\n"
            )
            # The file of the weights is Keras', whose numbers are float32.
            single = {k: np.float32(v).astype(float).tolist() for k, v in inputs.items()}
            value += sum(values(**single))
            rows = {k: np.sum(row, axis=0) for k, row in gradients(**single).items()}
            start[name], slope[name] = {}, {}
            for key, number in single.items():
                for i, w in enumerate(number if isinstance(number, list) else [number]):
                    label = f"{key}[{i}]" if isinstance(number, list) else key
                    start[name][label] = w
                    slope[name][label] = rows[key][i] if isinstance(number, list) else rows[key]
        self.write_start(start)
        config = self.write(
            "cases.toml",
            "".join(layers)
            + f'[[model.layers]]\ntype = "concatenate"\ninputs = {json.dumps(list(start))}\n'
            + '[train]\nloss = "expectation"\nepochs = 1\ninitial_weights = "start.h5"\n'
            + '[optimizer]\nname = "sgd"\nlearning_rate = 1.0\n',
        )
        for method in METHODS:
            files = set()
            for ranks in (1, 2, 3):
                for threads in (1, 4):
                    with self.subTest(method=method, ranks=ranks, threads=threads):
                        folder = self.path(f"{method}-{ranks}-{threads}")
                        self.succeed(
                            "train", config, "--quiet", "--threads", threads, "--set",
                            f"gradient.method={method}", "--set", f"output.folder={folder}",
                            ranks=ranks,
                        )  # fmt: skip
                        files.add(support.read_bytes(folder + "/weights.h5"))
            self.assertEqual(len(files), 1, "the same bits on any ranks and threads")
            self.close(support.epoch_values(folder, "loss"), [value], 1e-9)
            self.assertNotIn("accuracy", support.events(folder, "epoch")[0])
            with h5py.File(folder + "/weights.h5") as file:
                for name, wanted in slope.items():
                    names, after = support.own_layer(file, name)
                    for label, weight in zip(names, after):
                        self.close(start[name][label] - weight, wanted[label], TOLERANCE[method])

    def write_start(self, start):
        with h5py.File(self.path("start.h5"), "w") as file:
            file.attrs["layer_names"] = list(start)
            for name, weights in start.items():
                group = file.create_group(name)
                group.attrs["weight_names"] = ["parameters:0"] if weights else []
                if weights:
                    values = [weights[label] for label in sorted(weights)]
                    group.create_dataset("parameters:0", data=np.array(values, np.float32))


def add_gradient_test(name):
    setattr(Gradients, f"test_{name}", lambda self: self.check(name))


for case_name in GRADIENT_CASES:
    add_gradient_test(case_name)


class Conventions(SimulateTest):
    """Section B: phases, signs, controls, order."""

    def test_B30_global_phase_becomes_relative_under_control(self):
        start = VERSION_3 + "qubit[2] q; h q; "
        for gate, angle in (
            ("crx(pi)", pi), ("crx(pi + 1e-6)", pi + 1e-6), ("crx(0.5)", 0.5),
            ("ctrl @ xpow(1)", 0), ("cx", 0), ("ctrl @ xpow(0.5)", 0), ("cxpow(0.5)", 0),
        ):  # fmt: skip
            with self.subTest(gate):
                found = self.values(f"{start}{gate} q[0], q[1];", ["X0", "Y0"])
                self.close(found, [cos(angle / 2), -sin(angle / 2)])

    def test_B32_s_is_not_rz(self):
        start = VERSION_3 + "qubit[2] q; h q[0]; x q[1]; "
        for gate, angle in (("ctrl @ s", pi / 2), ("crz(pi/2)", pi / 4)):
            with self.subTest(gate):
                found = self.values(f"{start}{gate} q[0], q[1];", ["X0", "Y0"])
                self.close(found, [cos(angle), sin(angle)])

    def test_B33_iswap_is_fsim_of_minus_half_pi(self):
        for gate, sign in (("iswap", 1), ("fsim(-pi/2, 0)", 1), ("fsim(pi/2, 0)", -1)):
            with self.subTest(gate):
                text = f"{VERSION_3}qubit[2] q; h q[0]; {gate} q[0], q[1];"
                self.close(self.values(text, ["Y1"]), [sign])

    def test_B35_fusion_around_an_inactive_control(self):
        for qubits in (2, 15, 20):
            for fusion in ("on", "off"):
                with self.subTest(qubits=qubits, fusion=fusion):
                    text = (
                        f"{VERSION_3}qubit[{qubits}] q;"
                        "ry(0.7) q[0]; cx q[1], q[0]; x q[0]; t q[0]; x q[0];"
                    )
                    found = self.values(
                        text, ["X0", "Y0", "Z0"],
                        "--set", f"engine.fusion={fusion}", "--set", "engine.light_cones=off",
                    )  # fmt: skip
                    flat = sin(0.7) / sqrt(2)
                    self.close(found, [flat, -flat, cos(0.7)])

    def test_B36_negative_control(self):
        text = VERSION_3 + "qubit[3] q; x q[1]; negctrl @ swap q[0], q[1], q[2];"
        self.close(self.values(text, ["Z0", "Z1", "Z2"]), [1, 1, -1])

    def test_B38_observable_on_unsorted_qubits(self):
        text = VERSION_3 + "qubit[3] q; ry(0.3) q[0]; ry(1.1) q[2];"
        found = self.values(text, ["X0*Z2", "Z2 X0", "Z0*X2"])
        self.close(found, [sin(0.3) * cos(1.1)] * 2 + [cos(0.3) * sin(1.1)])

    def test_B40_order_and_sign_of_a_product(self):
        self.close(self.values(VERSION_3 + "qubit q; h q; z q; x q;", ["X0"]), [-1])
        text = VERSION_3 + "qubit[2] q; h q[0];" + "".join(
            f"ctrl @ {gate} q[0], q[1];" for gate in "hzx"
        )
        self.close(self.values(text, ["X0", "X1"]), [-1 / sqrt(2), -0.5])


def power_of_total_z(qubits, power):
    """(sum of Z_i) ** power as text: products of Zs are sets of qubits, met by XOR."""
    terms = {0: 1}
    for _ in range(power):
        following = {}
        for mask, weight in terms.items():
            for q in range(qubits):
                following[mask ^ 1 << q] = following.get(mask ^ 1 << q, 0) + weight
        terms = following
    return " + ".join(
        "*".join([str(weight), *(f"Z{q}" for q in range(qubits) if mask >> q & 1)])
        for mask, weight in terms.items()
    )


class Observables(SimulateTest):
    """Section C."""

    def test_B45_constant_and_coefficients(self):
        text = VERSION_3 + "qubit[2] q; ry(0.3) q[0]; ry(0.5) q[1];"
        found = self.values(text, ["0.7 + 0.25*Z0*Z1 - 0.4*X1", "0.7*I + 0.25*Z0 Z1 - 0.4*X1"])
        self.close(found, [0.7 + 0.25 * cos(0.3) * cos(0.5) - 0.4 * sin(0.5)] * 2)
        self.close(self.values(VERSION_3 + "qubit[2] q;", ["2.5*I", "2.5"]), [2.5, 2.5])
        self.close(self.values(text, ["Z0 + Z0", "X0*X0", "Z0 - Z0"]), [2 * cos(0.3), 1, 0])

    def test_B47_large_sums(self):
        text = VERSION_3 + "qubit[8] q; x q[1]; x q[3]; x q[5]; x q[7];"
        for layer in range(4):
            for i in range(layer % 2, 7, 2):
                text += f"fsim(0.37, 0.21) q[{i}], q[{i + 1}];"
        pairs = " + ".join(f"Z{i}*Z{j}" for j in range(8) for i in range(j))
        observe = [pairs, power_of_total_z(8, 2), power_of_total_z(8, 4)]
        for precision, tolerance in (("double", 1e-9), ("single", 1e-2)):
            found = self.values(text, observe, "--precision", precision)
            self.close(found, [-4, 0, 0], tolerance)

    def test_B49_idle_qubits(self):
        text = VERSION_3 + "qubit[2] q; ry(0.3) q[0];"
        self.close(self.values(text, ["Z0*Z1", "Z1"]), [cos(0.3), 1])
        self.refused(text, "Z2", "qubit 2", "2 qubits", arguments=("--observe", "Z2"))

    def test_B50_more_ranks_than_work(self):
        text = VERSION_3 + "qubit[1] q; ry(0.3) q[0];"
        alone = self.simulate(text, observe=["X0"])
        self.assertEqual(self.simulate(text, observe=["X0"], ranks=4), alone)

    def test_refused(self):
        text = VERSION_3 + "qubit[2] q; h q;"
        for observable, says in (
            ("X0*Y0", "not Hermitian"), ("Z0*", "character 4"), ("Q1", "'Q'"),
            ("1e400*Z0", "finite"), ("", "empty"),
        ):  # fmt: skip
            with self.subTest(observable):
                self.refused(text, says, arguments=("--observe", observable))


class Numerics(SimulateTest):
    """Section D."""

    def test_B55_norm_does_not_drift(self):
        forth = "rx(0.1) q;\nry(0.2) q;\nrz(0.3) q;\n" * 5000
        back = "rz(-0.3) q;\nry(-0.2) q;\nrx(-0.1) q;\n" * 5000
        text = f"{VERSION_3}qubit q;\n{forth}{back}"
        for arguments in ((), ("--set", "engine.fusion=off"), ("--eager",)):
            with self.subTest(arguments):
                self.close(self.values(text, ["Z0"], *arguments), [1], 1e-11)
        single = ("--precision", "single", "--set", "engine.fusion=off")
        self.close(self.values(text, ["Z0"], *single), [1], 1e-4)

    def test_B58_B59_sizes_are_refused_at_once(self):
        whole = ("--observe", "X0", "--set", "engine.light_cones=off")
        for qubits in (36, 50, 62, 63, 64, 300):
            for arguments in (("--amplitudes",), ("--samples", "5"), whole):
                with self.subTest(qubits=qubits, arguments=arguments):
                    self.check_size(qubits, arguments)
        # These may fit where there is much memory; a petabyte stands for none.
        for qubits in (31, 32, 33):
            if support_memory() < 16 << qubits:
                self.check_size(qubits, ("--amplitudes",))

    def check_size(self, qubits, arguments):
        text = f"{VERSION_3}qubit[{qubits}] q; h q;"
        need = f"{16 << qubits:,}" if qubits < 123 else f"2^{qubits + 4}"
        began = support.cpu_seconds()
        done = self.refused(text, f"{need} bytes", f"{qubits} qubits", code=3, arguments=arguments)
        # Its own, not the machine's: no state was made.
        self.assertLess(support.cpu_seconds() - began, 1.0)
        self.assertIn("available", done.stderr)
        if qubits > 62:
            self.assertIn("at most 62", done.stderr)

    def test_light_cones_need_no_whole_state(self):
        text = f"{VERSION_3}input float v; qubit[300] q; h q; rx(v) q[299];"
        text += "".join(f"cz q[{i}], q[{i + 1}];" for i in range(299))
        # X0 becomes X0 Z1 behind the CZ, and the product of |+> states gives 0; Z299 rotates.
        text += "h q[150];"
        for method in METHODS:
            result = self.simulate(
                text, "--gradient", method, observe=["X0", "Z299", "0.5*Z0*Z299 + 2"],
                bind={"v": 0.3},
            )  # fmt: skip
            self.close(result["expectations"], [0, 0, 2])
            self.assertEqual(result["qubits"], 300)

    def test_B63_a_million_shots_of_one_string(self):
        result = self.simulate(VERSION_3 + "qubit[10] q; x q[0];", "--samples", 10**6)
        self.assertEqual(result["samples"], {"0000000001": 10**6})


def support_memory():
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


class Samples(SimulateTest):
    ANGLES = (0.4, 1.1, 2.0, 2.9)

    def test_distribution(self):
        """Chi-squared against the exact distribution: products, permuted by CX gates."""
        text = VERSION_3 + "qubit[4] q;"
        text += "".join(f"ry({a}) q[{i}];" for i, a in enumerate(self.ANGLES))
        text += "cx q[0], q[1]; cx q[1], q[3];"
        exact = np.zeros(16)
        for index in range(16):
            p = 1.0
            for i, angle in enumerate(self.ANGLES):
                p *= sin(angle / 2) ** 2 if index >> i & 1 else cos(angle / 2) ** 2
            out = index ^ (index & 1) << 1
            exact[out ^ (out >> 1 & 1) << 3] += p
        shots = 200_000
        for seed in (1, 2):
            counts = self.simulate(text, "--samples", shots, "--seed", seed)["samples"]
            found = np.array([counts.get(f"{k:04b}", 0) for k in range(16)])
            self.assertEqual(found.sum(), shots)
            chi_squared = np.sum((found - shots * exact) ** 2 / (shots * exact))
            self.assertLess(chi_squared, 15 + 6 * sqrt(30))

    def test_twenty_qubits_a_million_shots(self):
        angles = [0.1 + 0.15 * i for i in range(20)]
        text = VERSION_3 + "qubit[20] q;"
        text += "".join(f"ry({a!r}) q[{i}];" for i, a in enumerate(angles))
        shots = 10**6
        counts = self.simulate(text, "--samples", shots, "--seed", 5)["samples"]
        self.assertEqual(sum(counts.values()), shots)
        index = np.array([int(key, 2) for key in counts])
        weight = np.array(list(counts.values()))
        ones = [sin(a / 2) ** 2 for a in angles]
        set_bits = [(index >> i & 1).astype(bool) for i in range(20)]
        for i in range(20):
            for j in range(i + 1):
                p = ones[i] * ones[j] if i != j else ones[i]
                found = weight[set_bits[i] & set_bits[j]].sum()
                self.assertLess(abs(found - shots * p), 6 * sqrt(shots * p * (1 - p)) + 1)

    def test_seed_decides_and_not_ranks_or_threads(self):
        text = VERSION_3 + "qubit[5] q; h q; cx q[0], q[4];"
        options = ("--samples", 1000, "--seed", 7)
        first = self.simulate(text, *options)["samples"]
        for ranks, threads in ((0, 4), (2, 1), (3, 2)):
            again = self.simulate(text, *options, "--threads", threads, ranks=ranks)
            self.assertEqual(again["samples"], first)
        other = self.simulate(text, "--samples", 1000, "--seed", 8)["samples"]
        self.assertNotEqual(other, first)

    def test_string_order_and_rounding(self):
        text = VERSION_3 + "qubit[3] q; x q[0];"
        self.assertEqual(self.simulate(text, "--samples", 3)["samples"], {"001": 3})
        single = self.simulate(text, "--samples", 3, "--precision", "single")
        self.assertEqual((single["samples"], single["precision"]), ({"001": 3}, "single"))


class Version2(SimulateTest):
    """Section F."""

    def test_B75_precedence(self):
        text = VERSION_2 + "qreg q[1]; rx(0.1*pi+0.2*pi) q[0];"
        self.close(self.values(text, ["Z0"]), [cos(0.3 * pi)])

    # The formal names are those of gates and of the register.
    NESTED = "qreg r[2];\ngate foo(a,b) x,r { rx(b) x; ry(a) r; }\nfoo(0.4,1.1) r[0],r[1];\n"

    def test_B77_gate_definitions(self):
        wanted = [cos(1.1), cos(0.4)]
        self.close(self.values(VERSION_2 + self.NESTED, ["Z0", "Z1"]), wanted)
        text = (
            "gate one(a,unused) q { rx(a) q; }\n"
            "gate foo(a,b) x,y { one(b,a) x; one(a,b) y; }\n"
            "qreg q[2]; foo(0.4,1.1) q[0],q[1];"
        )
        self.close(self.values(VERSION_2 + text, ["Z0", "Z1"]), wanted)

    def test_B78_name_clash(self):
        done = self.refused(VERSION_2 + "qreg h[1];\nqreg q[1];\nh q[0];", "circuit.qasm:3:6", "h")
        self.assertIn("'h'", done.stderr)

    def test_B80_if_is_refused(self):
        text = VERSION_2 + "qreg q[2]; creg c[2];\nx q[0];\nmeasure q[0] -> c[0];\nif(c==1) x q;"
        self.refused(text, "circuit.qasm:")

    def test_B81_barriers_change_nothing(self):
        plain = VERSION_2 + self.NESTED
        fenced = plain.replace("foo(0.4", "barrier r; foo(0.4") + "barrier r;\nbarrier r[0],r[1];"
        observe = ["Z0", "Z1", "Y0*X1"]
        self.assertEqual(self.values(plain, observe), self.values(fenced, observe))

    def test_B83_broadcast(self):
        head = VERSION_2 + "qreg a[2]; qreg b[2]; x a[0]; "
        signs = ["Z0", "Z1", "Z2", "Z3"]
        self.close(self.values(head + "cx a,b;", signs), [-1, 1, -1, 1])
        self.close(self.values(head + "cx a[0],b;", signs), [-1, 1, -1, -1])
        self.refused(VERSION_2 + "qreg a[2]; qreg b[3];\ncx a,b;", "circuit.qasm:4:6")

    def test_B84_included_files(self):
        text = VERSION_2 + 'qreg q[1];\ninclude "part.inc";\n'
        self.write("part.inc", "rx(0.1*pi+\n  0.2*pi) q[0];\n")
        self.close(self.values(text, ["Z0"]), [cos(0.3 * pi)])
        self.write("part.inc", "h q[0];\nrx(0.1*) q[0];\n")
        self.refused(text, "part.inc:2:8")

    def test_B86_qubits_out_of_range_or_repeated(self):
        for gate, place in (
            ("cx q[0],q[0];", "4:1"),
            ("h q[9];", "4:"),
            ("ccx q[0],q[1],q[0];", "4:1"),
        ):
            with self.subTest(gate):
                text = VERSION_2 + f"qreg q[2];\n{gate}"
                self.refused(text, f"circuit.qasm:{place}")
                config = self.write(
                    "wrong.toml",
                    '[[model.layers]]\ntype = "quantum"\nfile = "circuit.qasm"\n'
                    'observables = ["Z0"]\n[train]\nloss = "expectation"\n'
                    f'[output]\nfolder = "{self.path("run")}"\n',
                )
                self.refuse(2, "train", config, says=f"circuit.qasm:{place}")
                self.assertFalse(os.path.exists(self.path("run")))


class Shape(SimulateTest):
    """The JSON, binding and the other options."""

    TEXT = (
        VERSION_3 + "input float theta;\ninput array[float[64], 2] w;\nqubit[2] q;\n"
        "rx(theta) q[0]; ry(w[0]) q[1]; ctrl @ rz(2*w[1]) q[0], q[1];\n"
    )
    BIND = {"theta": 0.3, "w": [0.1, 0.2]}

    def test_absent_options_absent_keys(self):
        result = self.simulate(self.TEXT, bind=self.BIND)
        self.assertEqual(result, {"qubits": 2, "precision": "double"})

    def test_all_keys(self):
        result = self.simulate(
            self.TEXT, "--gradient", "adjoint", "--amplitudes", "--samples", 100, "--seed", 3,
            observe=["Z0", "0.5*X1 + 0.25"], bind=self.BIND,
        )  # fmt: skip
        self.assertEqual(
            list(result),
            ["qubits", "precision", "expectations", "gradients", "amplitudes", "samples"],
        )
        gradients = result["gradients"]
        self.assertEqual(np.shape(gradients["theta"]), (2,))
        self.assertEqual(np.shape(gradients["w"]), (2, 2))
        self.close(gradients["theta"][0], -sin(0.3))
        amplitudes = np.array(result["amplitudes"])
        self.assertEqual(amplitudes.shape, (4, 2))
        # Qubit 0 is the least significant bit of the index.
        self.close(amplitudes[2], [cos(0.15) * sin(0.05), 0])
        self.assertTrue(all(len(key) == 2 for key in result["samples"]))

    def test_numbers_read_back_and_single_precision_is_less(self):
        double = self.values(self.TEXT, ["X0", "X1"], bind=self.BIND)
        single = self.values(self.TEXT, ["X0", "X1"], "--precision", "single", bind=self.BIND)
        self.assertNotEqual(double, single)
        self.close(single, double, 1e-6)

    def test_bind_errors(self):
        full = ("--bind", "theta=0.3", "--bind", "w=0.1,0.2")
        for arguments, says in (
            (full[:2], "'w'"), (full[2:], "'theta'"), ((*full, "--bind", "phi=1"), "'phi'"),
            ((*full, "--bind", "theta=0.4"), "twice"), ((*full[:3], "w=0.1"), "takes 2 numbers"),
            ((*full[:3], "w=0.1,0.2,0.3"), "takes 2 numbers"), ((*full[:3], "w=0.1,x"), "'x'"),
            (("--bind", "theta=nan", *full[2:]), "finite"), (("--bind", "theta"), "NAME=VALUE"),
        ):  # fmt: skip
            with self.subTest(arguments):
                self.refused(self.TEXT, says, arguments=("--observe", "Z0", *arguments))

    def test_an_angle_that_is_no_number_is_refused_in_every_gate(self):
        """Whether or not the observables depend on it, and so whatever the engine's switches."""
        text = f"{VERSION_3}input float u;\nqubit[2] q;\nx q[0];\nrx(sqrt(u)) q[1];\n"
        path = self.write("circuit.qasm", text)
        says = ("circuit.qasm:6:", "'sqrt(u)' of gate 2 ('rx')")
        for observable in ("Z0", "Z1"):
            for cones in ("auto", "off"):
                self.refuse(
                    4, "simulate", path, "--observe", observable, "--bind", "u=-1",
                    "--set", f"engine.light_cones={cones}", says=says,
                )  # fmt: skip
        self.refuse(4, "bench", "circuit", path, "--bind", "u=-1", "--observe", "Z0", says=says)

    def test_other_refusals_with_place(self):
        for gate, column, says in (
            ("foo q[0];", 1, "unknown gate 'foo'"), ("rx q[0];", 1, "takes 1 angle"),
            ("rx(1, 2) q[0];", 1, "takes 1 angle"), ("cx q[0];", 1, "takes 2 qubits"),
            ("rx(beta) q[0];", 4, "'beta'"), ("cx q[1], q[1];", 1, "twice"),
            ("x q[2];", 5, "out of range"), ("x r[0];", 3, "'r'"),
        ):  # fmt: skip
            with self.subTest(gate):
                self.refused(f"{VERSION_3}qubit[2] q;\n{gate}\n", f"circuit.qasm:4:{column}", says)
        matrix = "OPENQASM 3;\npragma wavetrain unitary g 1 [[1,0],[0,0],[0,0],[2,0]]\nqubit q;\n"
        self.refused(matrix + "g q;", "circuit.qasm:2:", "not unitary")
        self.refused(self.TEXT, "--observe", arguments=("--gradient", "adjoint", "--bind", "w=1,2"))
        self.refuse(3, "simulate", self.path("nowhere.qasm"), says="nowhere.qasm")

    def test_json_error_line(self):
        path = self.write("circuit.qasm", VERSION_3 + "qubit[2] q;\n  h q[9];\n")
        done = self.refuse(2, "simulate", path, "--json")
        line = next(x for x in done.stderr.splitlines() if x.startswith("{"))
        error = json.loads(line)["error"]
        self.assertEqual((error["kind"], error["line"], error["column"]), ("usage", 4, 7))

    def test_eager_and_trace(self):
        """As compiled to rounding; the trace names every gate as written, with norm and values."""
        observe = ["Z0", "X1"]
        compiled = self.values(self.TEXT, observe, bind=self.BIND)
        eager = self.simulate(self.TEXT, "--eager", "--trace", observe=observe, bind=self.BIND)
        self.close(eager["expectations"], compiled, 1e-14)
        trace = eager["trace"]
        self.assertEqual(len(trace), 3)
        for row, gate in zip(trace, ("6:1: rx q0", "6:17: ry q1", "6:32: crz q0, q1")):
            self.assertIn("circuit.qasm:" + gate, row["gate"])
            self.close(row["norm"], 1, 1e-14)
        self.close(trace[0]["expectations"], [cos(0.3), 0])
        self.close(trace[-1]["expectations"], compiled, 1e-14)
        path = self.path("circuit.qasm")
        done = self.succeed(
            "simulate", path, "--eager", "--trace", "--observe", "Z0", *bindings(self.BIND)
        )
        self.assertEqual(done.stdout.count("norm"), 3)
        self.refuse(2, "simulate", path, "--trace", *bindings(self.BIND), says="--eager")

    def test_engine_keys(self):
        observe = ["Z0", "X1"]
        first = self.values(self.TEXT, observe, bind=self.BIND)
        for key in ("fusion=off", "light_cones=off"):
            found = self.values(self.TEXT, observe, "--set", f"engine.{key}", bind=self.BIND)
            self.close(found, first, 1e-14)
        wrong = ("--set", "engine.fusio=off", *bindings(self.BIND))
        self.refused(self.TEXT, "fusion", arguments=wrong)
        self.refused(self.TEXT, "engine", arguments=("--set", "train.epochs=1"))


if __name__ == "__main__":
    unittest.main()
