"""Models written out as data: layers, circuits, losses, optimizers; each against plain numpy."""

import json
import os
import unittest

import h5py
import numpy as np

import support

HEAD = 'OPENQASM 3;\ninclude "wavetrain.inc";\n'
TURN = HEAD + "input float v;\nqubit q;\nrx(v) q;\n"
POINTS = "a,b,label\n" + "".join(
    f"{0.1 * k},{1.5 - 0.2 * k},{(-1) ** (k // 2)}\n" for k in range(8)
)


def layer(type, **keys):
    lines = ["[[model.layers]]", f'type = "{type}"']
    for key, value in keys.items():
        if isinstance(value, dict):
            pairs = ", ".join(f"{k} = {json.dumps(v)}" for k, v in value.items())
            lines.append(f"{key} = {{ {pairs} }}")
        else:
            lines.append(f"{key} = {json.dumps(value)}")
    return "\n".join(lines) + "\n"


class ModelTest(support.AppTest):
    def model(self, *layers, name="config.toml", **tables):
        """A config of these layers. One step an epoch unless said otherwise."""
        tables.setdefault("output", {"folder": self.path("run")})
        train = {"epochs": 1, "batch_size": 100, "shuffle": False, **tables.pop("train", {})}
        return self.write(name, "".join(layers) + support.toml({"train": train, **tables}))

    def points(self, **more):
        self.write("points.csv", POINTS)
        return {"source": "csv", "file": "points.csv", "train_count": 8, **more}

    def train(self, config, *arguments, folder="run", **options):
        self.succeed(
            "train", config, "--quiet", "--overwrite", "--set",
            f"output.folder={self.path(folder)}", *arguments, **options,
        )  # fmt: skip
        return self.path(folder)

    def predict(self, folder, csv=POINTS):
        data = self.write("predict.csv", csv)
        done = self.succeed("predict", folder + "/weights.h5", "--data", data, "--json")
        return json.loads(done.stdout)

    def weights(self, folder, name):
        with h5py.File(folder + "/weights.h5") as file:
            return dict(zip(*support.own_layer(file, name)))

    def vector(self, folder, name):
        return np.array(list(self.weights(folder, name).values()))


EMBED = {"circuit": "angle_embedding", "options": {"qubits": 2, "rotation": "ry"}}
OUTPUTS = layer("quantum", name="q", data={"x": ["a", "b"]}, observables=["Z0", "X1"], **EMBED)
TURN_LAYER = layer("quantum", name="turn", file="turn.qasm", observables=["Z0"])
A, B = np.array([[float(x) for x in row.split(",")[:2]] for row in POINTS.split()[1:]]).T
LABELS = np.array([float(row.split(",")[2]) for row in POINTS.split()[1:]])


class Layers(ModelTest):
    def test_every_type_against_numpy(self):
        config = self.model(
            layer("quantum", name="one", data={"x": ["a", "b"]}, observables=["Z0", "Z1"], **EMBED),
            layer("quantum", name="two", data={"x": ["b", "a"]}, observables=["X0"], **EMBED),
            layer("concatenate", name="both", inputs=["one", "two"]),
            layer("dense", name="hidden", units=4, activation="tanh"),
            layer("dense", name="relu", units=3, activation="relu"),
            layer("dense", name="out", units=2, activation="softmax", inputs=["relu"]),
            data=self.points(),
            train={"loss": "sparse_categorical_crossentropy"},
        )
        self.write("points.csv", POINTS.replace("-1", "0"))
        run = self.train(config)
        y = np.stack([np.cos(A), np.cos(B), np.sin(B)], axis=1)
        for name, inputs, units, f in (
            ("hidden", 3, 4, np.tanh),
            ("relu", 4, 3, lambda v: np.maximum(v, 0)),
            ("out", 3, 2, np.exp),
        ):
            values = self.vector(run, name)
            y = f(y @ values[: inputs * units].reshape(inputs, units) + values[inputs * units :])
        y /= y.sum(axis=1, keepdims=True)
        csv = POINTS.replace("-1", "0")
        found = self.predict(run, csv)
        np.testing.assert_allclose(found["predictions"], y, rtol=0, atol=1e-12)
        wanted = -np.log(y[np.arange(8), (LABELS > 0).astype(int)]).mean()
        self.assertAlmostEqual(found["loss"], wanted, places=12)
        self.assertEqual(support.events(run, "start")[0]["parameters"], 16 + 15 + 8)

    def test_templates_and_their_options(self):
        for circuit, options, weights in (
            ("hardware_efficient", {"qubits": 3, "layers": 2}, 12),
            ("strongly_entangling", {"qubits": 3, "layers": 2}, 18),
            ("cluster_state", {"qubits": 3}, 0),
            ("angle_embedding", {"qubits": 3, "rotation": "rz"}, 3),
            ("qcnn_layer", {"qubits": 4}, 4 + 21),
            ("qcnn", {"qubits": 4, "variant": "tfq-multiworker"}, 4 + 40),
        ):
            with self.subTest(circuit):
                config = self.model(
                    layer("quantum", circuit=circuit, options=options, observables=["Z0", "X2"]),
                    train={"loss": "expectation"},
                )
                run = self.train(config)
                self.assertEqual(support.events(run, "start")[0]["parameters"], weights)
                self.assertEqual(len(self.weights(run, "quantum")), weights)

    def test_circuit_file_travels_with_the_weights(self):
        os.mkdir(self.path("parts"))
        self.write("parts/turn.inc", "gate turn(a) q { rx(2*a) q; }\n")
        self.write(
            "own.qasm",
            HEAD + 'include "parts/turn.inc";\ninput float v; input float w; qubit q;\n'
            "turn(w*v + 0.25) q;\n",
        )
        config = self.model(
            layer("quantum", name="own", file="own.qasm", data={"v": "a"}, observables=["Z0"]),
            data=self.points(train_count=6),
        )
        run = self.train(config)
        before = self.succeed("evaluate", run + "/weights.h5", "--json").stdout
        for name in ("own.qasm", "parts/turn.inc", "config.toml"):
            os.remove(self.path(name))
        data = ("--data", "../points.csv")
        after = self.succeed("evaluate", "weights.h5", *data, "--json", folder=run)
        w = self.weights(run, "own")["w"]
        loss = (np.cos(2 * (w * A + 0.25)) - LABELS) ** 2
        self.assertAlmostEqual(json.loads(before)["loss"], loss[6:].mean(), places=12)
        self.assertAlmostEqual(json.loads(after.stdout)["loss"], loss.mean(), places=12)
        # The resolved config alone trains again, to the same weights.
        again = self.train(run + "/config.toml", folder="again")
        self.assertEqual(self.weights(again, "own"), self.weights(run, "own"))

    def test_data_binding(self):
        """A list of columns, a prefix, one column; order counts."""
        csv = POINTS.replace("a,b,", "x_1,x_0,")
        for bound, wanted in ((["x_1", "x_0"], (A, B)), ("x", (B, A)), (["x_0", "x_0"], (B, B))):
            self.write("points.csv", csv)
            config = self.model(
                layer("quantum", data={"x": bound}, observables=["Z0", "Z1"], **EMBED),
                layer("dense", units=1),
                layer("quantum", name="last", data={"x": bound}, observables=["Z0", "Z1"], **EMBED),
                data={"source": "csv", "file": "points.csv"},
                train={"loss": "expectation"},
            )
            found = self.predict(self.train(config), csv)["predictions"]
            np.testing.assert_allclose(found, np.cos(wanted).T, rtol=0, atol=1e-12)

    def test_B51_batch_shapes(self):
        config = self.model(OUTPUTS, data=self.points(), train={"loss": "expectation"})
        run = self.train(config)
        self.assertEqual(np.shape(self.predict(run, "a,b\n1,2\n3,4\n5,6\n")["predictions"]), (3, 2))
        self.assertEqual(np.shape(self.predict(run, "a,b\n1,2\n")["predictions"]), (1, 2))
        self.refuse(
            2, "predict", run + "/weights.h5", "--data", self.write("one.csv", "a\n1\n"),
            says="'b'",
        )  # fmt: skip

    def test_a_net_drives_a_circuit(self):
        """One step of size 1: the gradient of mean cos(k x + c) passes through the circuit."""
        self.write("turn.qasm", TURN)
        config = self.model(
            layer("dense", name="net", units=1),
            layer("quantum", name="turn", file="turn.qasm", inputs=["net"], observables=["Z0"]),
            data={**self.points(), "file": "x.csv"},
            train={"loss": "expectation"},
            optimizer={"name": "sgd", "learning_rate": 1.0},
        )
        self.write("x.csv", "a\n" + "".join(f"{a!r}\n" for a in A))
        k, c = self.vector(self.train(config, "--set", "train.epochs=0"), "net")
        for method in ("adjoint", "parameter_shift", "finite_difference"):
            run = self.train(config, "--set", f"gradient.method={method}")
            slope = -np.sin(k * A + c)
            step = np.array([k, c]) - self.vector(run, "net")
            np.testing.assert_allclose(step, [(slope * A).mean(), slope.mean()], atol=1e-8)
        done = self.succeed("gradcheck", config, "--json")
        self.assertLess(json.loads(done.stdout)["largest_difference"], 1e-6)

    def test_B90_mean_over_samples_on_any_ranks(self):
        self.write("five.csv", "x\n.1\n.2\n.3\n.4\n2.0\n")
        self.write("add.qasm", HEAD + "input float v; input float w; qubit q;\nry(v + w) q;\n")
        config = self.model(
            layer("quantum", name="add", file="add.qasm", data={"v": "x"}, observables=["Z0"],
                  initializer="zeros"),
            data={"source": "csv", "file": "five.csv", "train_count": 5},
            train={"loss": "expectation"},
            engine={"micro_batch": 1},
            optimizer={"name": "sgd", "learning_rate": 1.0},
        )  # fmt: skip
        wanted = np.sin([0.1, 0.2, 0.3, 0.4, 2.0]).mean()
        found = {self.weights(self.train(config, ranks=n), "add")["w"] for n in (0, 2, 3)}
        self.assertEqual(len(found), 1)
        self.assertAlmostEqual(found.pop(), wanted, places=12)

    def test_frozen_layers_keep_their_bits(self):
        self.write("two.qasm", HEAD + "input float v; input float w; qubit q;\nry(v + w) q;\n")
        names = ("first", "second", "net", "out")
        config = self.model(
            layer("quantum", name="first", file="two.qasm", data={"v": "a"}, observables=["Z0"],
                  trainable=False),
            layer("quantum", name="second", file="two.qasm", data={"v": "b"}, observables=["Z0"]),
            layer("concatenate", name="both", inputs=["first", "second"]),
            layer("dense", name="net", units=2, trainable=False),
            layer("dense", name="out", units=1),
            data=self.points(),
        )  # fmt: skip
        start = self.train(config, "--set", "train.epochs=0", folder="start")
        for method in ("adjoint", "parameter_shift"):
            sets = ("--set", "train.epochs=3", "--set", f"gradient.method={method}")
            run = self.train(config, *sets)
            changed = [self.weights(start, n) != self.weights(run, n) for n in names]
            self.assertEqual(changed, [False, True, False, True])


class Losses(ModelTest):
    def evaluate(self, loss, labels, *more):
        """(predictions, what evaluate says) of two outputs in (0, 1) with these label columns."""
        rows = [line.rsplit(",", 1)[0] for line in POINTS.split()]
        heads = ["label"] if np.ndim(labels) == 1 else ["label_0", "label_1"]
        cells = [",".join(repr(float(x)) for x in np.atleast_1d(row)) for row in labels]
        csv = "\n".join(f"{a},{b}" for a, b in zip(rows, [",".join(heads), *cells])) + "\n"
        self.write("labelled.csv", csv)
        config = self.model(
            OUTPUTS,
            layer("dense", name="net", units=2, activation="sigmoid"),
            *more,
            data={"source": "csv", "file": "labelled.csv", "train_count": 8},
            train={"loss": loss, "epochs": 2},
        )
        run = self.train(config)
        outputs = np.array(self.predict(run, csv)["predictions"])
        done = self.succeed(
            "evaluate", run + "/weights.h5", "--data", self.path("labelled.csv"), "--json"
        )
        return outputs, json.loads(done.stdout)

    def check(self, loss, labels, formula, right, *more):
        outputs, found = self.evaluate(loss, labels, *more)
        self.assertEqual(found["samples"], 8)
        self.assertAlmostEqual(found["loss"], formula(outputs, labels).mean(), places=12)
        self.assertAlmostEqual(found["accuracy"], right(outputs, labels).mean(), places=12)

    SIGNS = np.stack([LABELS, np.roll(LABELS, 1)], axis=1)

    def test_mse_mae_hinge(self):
        signs = lambda y, t: np.all((y >= 0) == (t >= 0), axis=1)  # noqa: E731
        self.check("mse", self.SIGNS, lambda y, t: (y - t) ** 2, signs)
        self.check("mae", self.SIGNS, lambda y, t: abs(y - t), signs)
        self.check("hinge", self.SIGNS, lambda y, t: np.maximum(0, 1 - t * y), signs)

    def test_binary_crossentropy(self):
        self.check(
            "binary_crossentropy",
            (self.SIGNS > 0).astype(float),
            lambda y, t: -t * np.log(y) - (1 - t) * np.log(1 - y),
            lambda y, t: np.all((y > 0.5) == (t > 0.5), axis=1),
        )

    def test_categorical_and_sparse(self):
        classes = (LABELS > 0).astype(int)
        softmax = layer("dense", name="classes", units=2, activation="softmax")

        def formula(y, t):
            return -np.log((y / y.sum(axis=1, keepdims=True))[np.arange(8), classes])

        def right(y, t):
            return y.argmax(axis=1) == classes

        self.check("sparse_categorical_crossentropy", classes, formula, right, softmax)
        self.check("categorical_crossentropy", np.eye(2)[classes], formula, right, softmax)

    def test_expectation_without_data(self):
        self.write("turn.qasm", TURN)
        config = self.model(TURN_LAYER, train={"loss": "expectation", "epochs": 3})
        run = self.train(config, ranks=2)
        for record in support.events(run, "epoch"):
            self.assertFalse({"accuracy", "val_loss", "val_accuracy"} & set(record))
        found = json.loads(self.succeed("evaluate", run + "/weights.h5", "--json").stdout)
        self.assertEqual(set(found), {"samples", "loss"})
        self.assertAlmostEqual(found["loss"], np.cos(self.weights(run, "turn")["v"]), places=12)

    def test_labels_that_do_not_fit(self):
        softmax = layer("dense", name="net", units=2, activation="softmax")
        for loss, labels, says in (
            ("sparse_categorical_crossentropy", [0, 1, 2], ("label 2", "0 to 1")),
            ("sparse_categorical_crossentropy", [0, 0.5, 1], ("label 0.5", "whole")),
            ("sparse_categorical_crossentropy", [-1, 0, 1], ("label -1", "whole")),
            ("binary_crossentropy", [[0, 1], [2, 0]], ("label 2", "probabilities")),
            ("categorical_crossentropy", [[0, 1], [1, -1]], ("label -1", "probabilities")),
            ("hinge", [[1, -1], [0.5, 1]], ("label 0.5", "-1 and +1")),
            ("mse", [1, 2], ("1 label column", "2 outputs")),
            ("categorical_crossentropy", [1, 0], ("1 label column", "takes 2")),
            ("mse", [[], []], ("needs labels",)),
        ):
            with self.subTest(loss=loss, labels=labels):
                width = np.size(labels[0])
                heads = ["label"] if np.ndim(labels) == 1 else [f"label_{k}" for k in range(width)]
                rows = [",".join(map(str, [0.1, 0.2, *np.atleast_1d(row)])) for row in labels]
                self.write("labels.csv", "\n".join([",".join(["a", "b", *heads]), *rows]) + "\n")
                config = self.model(
                    OUTPUTS, softmax, data={"source": "csv", "file": "labels.csv"},
                    train={"loss": loss},
                )  # fmt: skip
                self.refuse(2, "train", config, says=("labels.csv", *says))
                self.assertFalse(os.path.exists(self.path("run")))


class Optimizing(ModelTest):
    """One weight w, loss cos(w): every optimizer's path is a line of numpy."""

    START = 0.75

    def curve(self, epochs=6, **tables):
        self.write("turn.qasm", TURN)
        with h5py.File(self.path("start.h5"), "w") as file:
            file.attrs["layer_names"] = ["turn"]
            file.create_group("turn").attrs["weight_names"] = ["parameters:0"]
            file["turn"]["parameters:0"] = np.array([self.START], np.float32)
        train = {"loss": "expectation", "epochs": epochs, "initial_weights": "start.h5"}
        train.update(tables.pop("train", {}))
        run = self.train(self.model(TURN_LAYER, train=train, **tables))
        self.last = self.weights(run, "turn")["v"]
        return support.epoch_values(run, "loss"), support.epoch_values(run, "learning_rate")

    def check(self, step, rates=None, **tables):
        """`step(g, w, t, rate)` gives the change of w at step t."""
        losses, rates = self.curve(**tables)
        w = self.START
        for t, (loss, rate) in enumerate(zip(losses, rates), 1):
            self.assertAlmostEqual(loss, np.cos(w), places=12)
            w += step(-np.sin(w), w, t, rate)
        self.assertAlmostEqual(self.last, w, places=12)

    def test_sgd(self):
        velocity = {"plain": 0.0}

        def momentum(g, w, t, rate):
            velocity["plain"] = 0.8 * velocity["plain"] - rate * g
            return velocity["plain"]

        def nesterov(g, w, t, rate):
            return 0.8 * momentum(g, w, t, rate) - rate * g

        sgd = {"name": "sgd", "learning_rate": 0.1}
        self.check(lambda g, w, t, rate: -rate * g, optimizer=sgd)
        self.check(momentum, optimizer={**sgd, "momentum": 0.8})
        velocity["plain"] = 0.0
        self.check(nesterov, optimizer={**sgd, "momentum": 0.8, "nesterov": True})

    def test_adam_and_adamw(self):
        for name, decay in (("adam", 0.0), ("adamw", 0.01)):
            m, v = [0.0], [0.0]

            def step(g, w, t, rate, decay=decay, m=m, v=v):
                m[0] = 0.9 * m[0] + 0.1 * g
                v[0] = 0.999 * v[0] + 0.001 * g * g
                corrected = rate * np.sqrt(1 - 0.999**t) / (1 - 0.9**t)
                return -rate * decay * w - corrected * m[0] / (np.sqrt(v[0]) + 1e-7)

            optimizer = {"name": name, "learning_rate": 0.1}
            if decay:
                optimizer["weight_decay"] = decay
            self.check(step, optimizer=optimizer)

    def test_rmsprop_and_adagrad(self):
        v = [0.0]

        def rmsprop(g, w, t, rate):
            v[0] = 0.8 * v[0] + 0.2 * g * g
            return -rate * g / np.sqrt(v[0] + 1e-7)

        def adagrad(g, w, t, rate):
            v[0] += g * g
            return -rate * g / np.sqrt(v[0] + 1e-7)

        self.check(rmsprop, optimizer={"name": "rmsprop", "learning_rate": 0.1, "rho": 0.8})
        v[0] = 0.1  # Keras' initial_accumulator_value
        self.check(adagrad, optimizer={"name": "adagrad", "learning_rate": 0.1})

    def test_B24_a_stationary_point(self):
        self.START = 0.0
        losses, _ = self.curve(optimizer={"name": "adam", "learning_rate": 0.1})
        self.assertEqual((losses, self.last), ([1.0] * 6, 0.0))

    def test_schedules(self):
        step = np.arange(6)
        for schedule, wanted in (
            ({"kind": "constant"}, np.ones(6)),
            ({"warmup_steps": 3}, np.minimum((step + 1) / 3, 1)),
            ({"kind": "exponential", "decay_steps": 2, "decay_rate": 0.5}, 0.5 ** (step / 2)),
            ({"kind": "cosine", "decay_steps": 4},
             (1 + np.cos(np.pi * np.minimum(step, 4) / 4)) / 2),
            ({"kind": "cosine", "decay_steps": 3, "warmup_steps": 2},
             [0.5, 1, 1, 0.75, 0.25, 0]),
        ):  # fmt: skip
            with self.subTest(schedule):
                tables = {"optimizer": {"name": "sgd", "learning_rate": 0.1},
                          "optimizer.schedule": schedule}  # fmt: skip
                _, rates = self.curve(**tables)
                np.testing.assert_allclose(rates, 0.1 * np.array(wanted), rtol=0, atol=1e-15)
                self.check(lambda g, w, t, rate: -rate * g, **tables)

    def test_clip_norm(self):
        def step(g, w, t, rate):
            return -rate * g * min(1, 0.7 / abs(g))

        sgd = {"name": "sgd", "learning_rate": 0.1}
        self.check(step, optimizer=sgd, train={"clip_norm": 0.7})

    def test_clip_norm_is_of_all_weights_together(self):
        names = ("q", "net")
        layers = (
            layer("quantum", name="q", circuit="hardware_efficient", options={"qubits": 2},
                  observables=["Z0", "X1"]),
            layer("dense", name="net", units=1),
        )  # fmt: skip
        sgd = {"name": "sgd", "learning_rate": 1.0}
        config = self.model(*layers, train={"loss": "expectation"}, optimizer=sgd)
        runs = [
            self.train(config, *(part for s in sets for part in ("--set", s)), folder=f"run{k}")
            for k, sets in enumerate((["train.epochs=0"], [], ["train.clip_norm=0.01"]))
        ]
        start, free, clipped = (np.concatenate([self.vector(r, n) for n in names]) for r in runs)
        self.assertGreater(np.linalg.norm(free - start), 0.01)
        self.assertAlmostEqual(np.linalg.norm(clipped - start), 0.01, places=12)
        direction = (free - start) / np.linalg.norm(free - start)
        np.testing.assert_allclose(clipped - start, 0.01 * direction, rtol=0, atol=1e-12)

    def test_early_stopping(self):
        config = self.small(
            train={"epochs": 200, "early_stopping_patience": 3},
            optimizer={"learning_rate": 0.2},
        )
        run = self.train(config)
        losses = support.epoch_values(run, "val_loss")
        self.assertLess(len(losses), 200)
        best = int(np.argmin(losses))
        self.assertEqual(len(losses), best + 1 + 3)
        self.assertEqual(support.events(run, "end")[0]["epochs"], len(losses))
        # The last epoch's weights are kept.
        found = json.loads(self.succeed("evaluate", run + "/weights.h5", "--json").stdout)
        self.assertEqual(found["loss"], losses[-1])


class Refusals(ModelTest):
    GOOD = {"type": "quantum", "observables": ["Z0"], "data": {"x": ["a", "b"]}, **EMBED}

    def test_with_place(self):
        """The first layer is fine and takes the lines 1 to 7; the second is wrong."""
        for changes, says in (
            ({"type": "quantun"}, ("9:", "quantum")),
            ({"circuit": "angle_embeding"}, ("8:", "angle_embedding")),
            ({"options": {"qubits": 2, "rotations": "rx"}}, ("8:", "rotation")),
            ({"options": {"qubits": "two"}}, ("8:", "qubits")),
            ({"options": {"qubits": 2, "rotation": "rw"}}, ("8:", "rotation")),
            ({"data": {"y": "a"}}, ("8:", "'y'")),
            ({"data": {"x": ["a", "c"]}}, ("8:", "'c'")),
            ({"data": {"x": ["a", "b", "a"]}}, ("8:", "2 columns")),
            ({"observables": []}, ("8:", "observables")),
            ({"observables": ["Z0*Q"]}, ("8:", "'Q'")),
            ({"observables": ["X1*Y1"]}, ("8:", "Hermitian")),
            ({"observables": ["Z2"]}, ("8:", "qubit 2")),
            ({"initializer": "ones"}, ("14:", "ones")),
            ({"units": 3}, ("14:", "units")),
            ({"inputs": ["nobody"]}, ("8:", "nobody")),
            ({"name": "first"}, ("8:", "first")),
            ({"file": "own.qasm"}, ("8:", "not both")),
        ):
            with self.subTest(changes):
                wrong = {**self.GOOD, **changes}
                good = {**self.GOOD, "name": "first", "circuit": "angle_embedding"}
                config = self.model(
                    layer(**good), layer(**wrong), data=self.points(), train={"loss": "expectation"}
                )
                place, *words = says
                place = f"config.toml:{place}" if place.endswith(":") else place
                self.refuse(2, "train", config, says=(place, *words))
                self.assertFalse(os.path.exists(self.path("run")))

    def test_classical_layers(self):
        for wrong, says in (
            (layer("dense"), "units"),
            (layer("dense", units=2, activation="tang"), "tanh"),
            (layer("concatenate"), "inputs"),
            (layer("dense", units=2, observables=["Z0"]), "observables"),
        ):
            with self.subTest(says):
                config = self.model(OUTPUTS, wrong, data=self.points())
                self.refuse(2, "train", config, says=("config.toml:", says))

    def test_circuit_files(self):
        config = self.model(TURN_LAYER, train={"loss": "expectation"})
        self.refuse(3, "train", config, says="turn.qasm")
        self.write("turn.qasm", TURN.replace("v;", "w;", 1))
        self.refuse(2, "train", config, says="turn.qasm:5:4")
        config = self.model(TURN_LAYER)
        self.write("turn.qasm", TURN)
        self.refuse(2, "train", config, says=("config.toml", "data.source"))


class Eager(ModelTest):
    def test_same_curve_as_compiled_and_same_bits(self):
        config = self.small(
            model={"kind": "qcnn_hybrid", "qubits": 4, "filters": 2}, train={"epochs": 3}
        )
        compiled = support.epoch_values(self.train(config, folder="compiled"), "loss")
        files = set()
        for ranks in (1, 2, 3):
            for threads in (1, 2):
                run = self.train(
                    config, "--set", "engine.execution=eager", "--threads", threads,
                    folder="eager", ranks=ranks,
                )  # fmt: skip
                losses = support.epoch_values(run, "loss")
                np.testing.assert_allclose(losses, compiled, rtol=0, atol=1e-9)
                files.add(support.read_bytes(run + "/weights.h5"))
        self.assertEqual(len(files), 1)

    def test_every_method(self):
        config = self.small(engine={"execution": "eager"})
        curves = [
            support.epoch_values(self.train(config, "--set", f"gradient.method={method}"), "loss")
            for method in ("adjoint", "parameter_shift", "finite_difference")
        ]
        np.testing.assert_allclose(curves[1], curves[0], rtol=0, atol=1e-9)
        np.testing.assert_allclose(curves[2], curves[0], rtol=0, atol=1e-7)


if __name__ == "__main__":
    unittest.main()
