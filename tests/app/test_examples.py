"""The examples of docs/examples.md: their data, their commands and the results promised there."""

import json
import os
import re
import subprocess
import sys
import unittest

import numpy as np

import support

CONFIGS = os.path.join(support.ROOT, "configs")


class Examples(support.AppTest):
    def train(self, name, **options):
        folder = self.path(name)
        config = os.path.join(CONFIGS, name + ".toml")
        self.succeed("train", config, "--quiet", "--set", f"output.folder={folder}", **options)
        return folder

    def last(self, folder):
        return support.events(folder, "epoch")[-1]

    def test_ground_state_of_hydrogen(self):
        folder = self.train("vqe_h2", ranks=2)
        with open(os.path.join(CONFIGS, "vqe_h2.toml")) as file:
            text = file.read().split("observables")[1].split("]")[0]
        terms = re.findall(r"([+-]) ?([\d.]+)((?:\*[XZ]\d)*)", text)
        self.assertEqual(len(terms), 5)
        paulis = {"X": np.array([[0, 1], [1, 0]]), "Z": np.diag([1, -1])}
        hamiltonian = np.zeros((4, 4))
        for sign, coefficient, factors in terms:
            product = [np.eye(2), np.eye(2)]
            for pauli, qubit in re.findall(r"\*([XZ])(\d)", factors):
                product[int(qubit)] = paulis[pauli]
            hamiltonian += float(sign + coefficient) * np.kron(product[1], product[0])
        exact = np.linalg.eigvalsh(hamiltonian)[0]
        self.assertAlmostEqual(exact, -1.85727503, places=8)
        record = self.last(folder)
        self.assertEqual(record["epoch"], 200)
        self.assertLess(abs(record["loss"] - exact), 1e-6)
        self.assertGreaterEqual(record["loss"], exact - 1e-12)  # a variational bound
        self.assertNotIn("accuracy", record)
        found = json.loads(self.succeed("evaluate", folder + "/weights.h5", "--json").stdout)
        self.assertLess(abs(found["loss"] - exact), 1e-6)

    def test_classifier_with_data_reuploading(self):
        folder = self.train("classifier_reuploading", ranks=2)
        self.assertEqual(support.events(folder, "start")[0]["parameters"], 24)
        record = self.last(folder)
        self.assertEqual(record["epoch"], 100)
        self.assertGreaterEqual(record["accuracy"], 0.9)
        self.assertGreaterEqual(record["val_accuracy"], 0.8)
        config = os.path.join(CONFIGS, "classifier_reuploading.toml")
        self.assertIn("RY", self.succeed("draw", config, "--width", 100).stdout)

    def test_net_that_drives_a_circuit(self):
        folder = self.train("hybrid_driver", ranks=2)
        record = self.last(folder)
        self.assertEqual(record["epoch"], 60)
        self.assertGreaterEqual(record["accuracy"], 0.9)
        self.assertGreaterEqual(record["val_accuracy"], 0.9)

    def test_any_ranks_give_the_same_bits(self):
        hashes = set()
        for ranks in (0, 2):
            folder = self.train("hybrid_driver", ranks=ranks)
            hashes.add(support.read_bytes(folder + "/weights.h5"))
            os.rename(folder, f"{folder}-{ranks}")
        self.assertEqual(len(hashes), 1)

    def test_weights_stand_alone(self):
        """The circuit's text travels in the weights: they predict without the repository."""
        folder = self.train("classifier_reuploading")
        weights = support.read_bytes(folder + "/weights.h5")
        self.assertIn(b"ry(w[0]*features[0] + b[0])", weights)
        data = self.write("points.csv", "x0,x1\n0,0\n0.95,0.95\n-0.9,0.9\n")
        found = self.succeed("predict", "weights.h5", "--data", data, "--json", folder=folder)
        signs = np.sign(json.loads(found.stdout)["predictions"])
        self.assertEqual(signs.tolist(), [1, -1, -1])

    def test_data_are_what_the_script_writes(self):
        script = os.path.join(CONFIGS, "data", "make_data.py")
        subprocess.run([sys.executable, script, self.folder], check=True, timeout=60)
        for name in ("circle.csv", "sectors.csv"):
            self.assertEqual(
                support.read_bytes(os.path.join(CONFIGS, "data", name)),
                support.read_bytes(self.path(name)),
            )

    def test_circuit_of_the_readme(self):
        with open(os.path.join(support.ROOT, "README.md")) as file:
            blocks = re.findall(r"```text\n(.*?)```", file.read(), re.S)
        shown = next(block for block in blocks if "simulate one.qasm" in block)
        self.write("one.qasm", next(block for block in blocks if block.startswith("OPENQASM")))
        command, printed = shown.split("\n", 1)
        found = self.succeed(*command.split()[2:], folder=self.folder).stdout
        numbers = r"-?\d+\.\d+"
        self.assertEqual(re.sub(numbers, "", found), re.sub(numbers, "", printed))
        values = [list(map(float, re.findall(numbers, text))) for text in (found, printed)]
        np.testing.assert_allclose(values[0], values[1], rtol=0, atol=1e-14)

    def test_the_page_names_every_command(self):
        with open(os.path.join(support.ROOT, "docs", "examples.md")) as file:
            page = file.read()
        for name in ("vqe_h2", "classifier_reuploading", "hybrid_driver"):
            self.assertIn(f"make train CONFIG=configs/{name}.toml", page)


if __name__ == "__main__":
    unittest.main()
