"""What the comparison rests on and can be tested without the peers: circuits, results, ratios."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import circuits
import peer_wavetrain
import plots
import results
from results import Work

HERE = os.path.dirname(os.path.abspath(__file__))


class Circuits(unittest.TestCase):
    def drawing(self, path):
        """Rows of labels, without the wires."""
        (text,) = peer_wavetrain.run("draw", path, "--width", "0").values()
        return [line.replace("─", " ").split() for line in text.split("\n")]

    def test_qcnn_is_the_programs_template(self):
        for qubits in (2, 3, 5, 8, 12):
            with self.subTest(qubits=qubits), tempfile.TemporaryDirectory() as folder:
                config, text = os.path.join(folder, "qcnn.toml"), os.path.join(folder, "qcnn.qasm")
                with open(config, "w") as file:
                    file.write(f'[model]\nkind = "qcnn"\nqubits = {qubits}\n')
                written = circuits.qcnn(qubits, excited=range(qubits)).qasm()
                for i in range(qubits):  # an array there, names of their own here
                    written = written.replace(f"input float excitation{i};\n", "")
                    written = written.replace(f"(excitation{i})", f"(excitation[{i}])")
                array = f"input array[float[64], {qubits}] excitation;\n"
                with open(text, "w") as file:
                    file.write(written.replace("qubit[", array + "qubit[", 1))
                self.assertEqual(self.drawing(config), self.drawing(text))

    def test_shifts(self):
        # Two qubits: the datum, a unitary of 15 gates, one more that closes the ring, a pool of 9.
        self.assertEqual(circuits.qcnn(2).shifts, 2 * (1 + 15 + 15 + 9))
        self.assertEqual(circuits.qcnn(8).shifts, 548)
        self.assertEqual(circuits.hardware_efficient(4, layers=3).shifts, 48)

    def test_batches_differ_in_the_datum_alone(self):
        rows = circuits.qcnn(4).table(3)
        self.assertEqual([len(set(column)) for column in rows.T], [3] + [1] * 42)

    def test_program_runs_every_circuit(self):
        for name, make in circuits.CIRCUITS.items():
            with self.subTest(name):
                circuit = make(5)
                values, gradient = peer_wavetrain.values(circuit, "gradient", 2)
                self.assertEqual(gradient.shape, (len(circuit.symbols),))
                self.assertLessEqual(np.abs(values).max(), len(circuit.observed))

    def test_unitaries_are_written_as_meant(self):
        """Two bricks on two qubits against the product of their matrices."""
        circuit = circuits.brickwork(2, layers=3)
        state = np.array([1, 0, 0, 0], dtype=complex)
        for gate in circuit.gates:
            self.assertEqual(gate.qubits, (0, 1))
            state = gate.matrix @ state
        probabilities = np.abs(state) ** 2  # qubit 0 most significant
        wanted = probabilities @ [2, 0, 0, -2]
        values, _ = peer_wavetrain.values(circuit, "forward", 1)
        self.assertAlmostEqual(values[0], wanted, places=12)


class Results(unittest.TestCase):
    WORK = Work("forward", "qcnn", 20)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "results.json")
        self.store = results.Store(self.path)

    def report(self, seconds, **more):
        return {"seconds_per_circuit": seconds, "values_agree": True, **more}

    def test_best_of_all_times_but_compiling(self):
        for wall, cpu, compiling in ((3.0, 2.0, 50.0), (4.0, 1.5, 0.1)):
            report = self.report(wall, cpu_seconds_per_circuit=cpu, compile_seconds=compiling)
            self.store.add("jax", self.WORK, report, anew=False)
        entry = results.Store(self.path).find("jax", self.WORK)
        self.assertEqual((entry["seconds"], entry["cpu_seconds"]), (3.0, 1.5))
        self.assertEqual((results.seconds(entry), entry["compile_seconds"]), (1.5, 50.0))

    def test_anew(self):
        for seconds, compiling in ((1.0, 50.0), (2.0, 0.1)):
            report = self.report(seconds, compile_seconds=compiling)
            self.store.add("jax", self.WORK, report, anew=True)
        entry = self.store.find("jax", self.WORK)
        self.assertEqual((entry["seconds"], entry["compile_seconds"]), (2.0, 50.0))

    def test_fastest_is_a_peer(self):
        self.store.add("wavetrain", self.WORK, self.report(1.0))
        self.assertIsNone(self.store.fastest(self.WORK))
        self.store.add("qsim", self.WORK, self.report(2.0))
        self.assertEqual(self.store.fastest(self.WORK), "qsim")

    def test_two_writers_lose_nothing(self):
        other = results.Store(self.path)
        self.store.add("qsim", self.WORK, self.report(2.0))
        other.add("aer", self.WORK, self.report(1.0))
        kept = results.Store(self.path)
        self.assertEqual(results.seconds(kept.find("qsim", self.WORK)), 2.0)
        self.assertEqual(kept.fastest(self.WORK), "aer")

    def test_another_machine_is_refused(self):
        self.store.add("qsim", self.WORK, self.report(2.0))
        with open(self.path) as file:
            found = json.load(file)
        found["machine"]["processor"] = "another"
        with open(self.path, "w") as file:
            json.dump(found, file)
        with self.assertRaisesRegex(SystemExit, "another machine"):
            results.Store(self.path)

    def test_stored_table(self):
        """What `wavetrain bench` reads, from results alone."""
        ansatz = Work("forward", "hardware_efficient", 20)
        for work in (self.WORK, ansatz):
            self.store.add("wavetrain", work, self.report(0.5))
            self.store.add("qsim", work, self.report(4.0))
        self.store.add("aer", ansatz, self.report(2.0))
        command = [sys.executable, os.path.join(HERE, "table.py"), "--stored", "--json"]
        environment = {**os.environ, "WAVETRAIN_PEERS": os.path.dirname(self.path)}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        found = json.loads(done.stdout)
        self.assertEqual(found["machine"], results.machine())
        rows = {(row["name"], row["peer"]): row for row in found["rows"]}
        row = rows["forward qcnn 20", "qsim"]
        self.assertEqual((row["value"], row["ratio"], row["target"]), (0.5, 8.0, "≥ 8×"))
        self.assertEqual((row["unit"], row["agree"]), ("s", True))
        self.assertEqual(rows[ansatz.name, "qsim"]["ratio"], 8.0)
        self.assertEqual(rows[ansatz.name, "aer"]["ratio"], 4.0)  # the fastest of all
        self.assertIsNone(rows["gradient qcnn 20", "lightning"]["ratio"])


class Plots(unittest.TestCase):
    def test_labels_keep_their_distance(self):
        wanted = [1.0, 5.0, 1.1, 1.05, 4.5]
        places = plots.spread(wanted, 0.6)
        self.assertEqual(np.argsort(places).tolist(), np.argsort(wanted).tolist())
        self.assertGreaterEqual(min(np.diff(sorted(places))), 0.6 - 1e-12)
        self.assertAlmostEqual(sorted(places)[1], 1.05)
        self.assertEqual(plots.spread([3.0, 1.0], 0.6), [3.0, 1.0])


if __name__ == "__main__":
    unittest.main()
