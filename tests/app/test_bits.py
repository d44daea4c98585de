"""The same training gives the same bits on any number of ranks and threads."""

import unittest

import numpy as np

import support

RANKS = (1, 2, 3, 4, 5, 7)
THREADS = (1, 2)

# Two nets beside each other, each of which drives a circuit; one circuit takes data as well.
DRIVEN = """
[model]
kind = "layers"
qubits = 3

[[model.layers]]
type = "quantum"
name = "first"
circuit = "angle_embedding"
data = {{ x = "excitation" }}
observables = ["Z0", "X1*Z2"]

[[model.layers]]
type = "dense"
name = "net"
units = 5
activation = "tanh"

[[model.layers]]
type = "quantum"
name = "driven"
circuit = "hardware_efficient"
inputs = ["net"]
observables = ["Z0", "Z2", "Y1"]

[[model.layers]]
type = "quantum"
name = "beside"
circuit = "strongly_entangling"
inputs = ["first"]
observables = ["Z1", "X2"]

[[model.layers]]
type = "concatenate"
inputs = ["driven", "beside"]

[[model.layers]]
type = "dense"
units = 1

[data]
source = "excitations"
rounds = 5
seed = 3

[train]
epochs = 3
batch_size = 6
seed = 4

[gradient]
method = "{method}"

[engine]
micro_batch = 2
"""


class Bits(support.AppTest):
    def outcome(self, config, ranks, threads):
        folder = self.path(f"run-{ranks}-{threads}")
        self.succeed(
            "train",
            config,
            "--quiet",
            "--overwrite",
            "--threads",
            threads,
            "--set",
            f"output.folder={folder}",
            ranks=ranks,
        )
        losses = [
            (r["loss"], r["accuracy"], r["val_loss"], r["val_accuracy"], r["weights_sha256"])
            for r in support.events(folder, "epoch")
        ]
        start = support.events(folder, "start")[0]
        self.assertEqual((start["ranks"], start["threads"]), (ranks, threads))
        self.assertEqual(len(losses), 3)
        return losses, support.read_bytes(folder + "/weights.h5")

    def check_config(self, config):
        first = None
        for ranks in RANKS:
            for threads in THREADS:
                losses, weights = self.outcome(config, ranks, threads)
                first = first or (losses, weights)
                self.assertEqual(losses, first[0], f"{ranks} ranks, {threads} threads")
                self.assertTrue(
                    weights == first[1], f"{ranks} ranks, {threads} threads: weights.h5 differs"
                )

    def check(self, model, **changes):
        train = {"epochs": 3, "batch_size": 13}
        self.check_config(self.small(model=model, data={"rounds": 4}, train=train, **changes))

    def test_qcnn(self):
        self.check({"kind": "qcnn", "qubits": 5})

    def test_qcnn_hybrid(self):
        self.check({"kind": "qcnn_hybrid", "qubits": 8})

    def test_three_filters_in_single_precision_by_parameter_shift(self):
        self.check(
            {"kind": "qcnn_hybrid", "qubits": 4, "filters": 3},
            engine={"precision": "single"},
            gradient={"method": "parameter_shift"},
        )

    def test_three_filters(self):
        self.check({"kind": "qcnn_hybrid", "qubits": 6, "filters": 3})

    def test_batch_smaller_than_the_ranks(self):
        config = self.small(train={"epochs": 3, "batch_size": 2})
        self.assertEqual(self.outcome(config, 1, 1), self.outcome(config, 7, 1))

    def test_batch_smaller_than_ranks_times_threads(self):
        config = self.small(
            model={"kind": "qcnn_hybrid", "qubits": 6, "filters": 3},
            train={"epochs": 3, "batch_size": 2},
            engine={"micro_batch": 1},
        )
        first = self.outcome(config, 1, 1)
        for ranks, threads in ((2, 3), (5, 2), (7, 1)):
            self.assertEqual(self.outcome(config, ranks, threads), first, (ranks, threads))

    def test_parameter_shift_with_one_sample_a_batch(self):
        config = self.small(
            model={"kind": "qcnn", "qubits": 4},
            data={"rounds": 2},
            train={"epochs": 3, "batch_size": 1},
            gradient={"method": "parameter_shift"},
        )
        first = self.outcome(config, 1, 1)
        for ranks, threads in ((1, 2), (2, 1), (3, 2), (5, 1)):
            self.assertEqual(self.outcome(config, ranks, threads), first, (ranks, threads))

    def test_a_net_that_drives_a_circuit(self):
        for method in ("adjoint", "parameter_shift"):
            with self.subTest(method):
                self.check_config(self.write("driven.toml", DRIVEN.format(method=method)))

    def test_merging_executions_changes_the_rounding_only(self):
        """Every sample is there six times: losses and weights agree to rounding, not in their bits."""
        rows = {"excited_qubit": [0, 1, 2, 3] * 6, "angle": [0.3, 1.1, -0.7, 2.0] * 6}
        support.write_csv(self.path("data.csv"), {**rows, "label": [1.0, -1.0, -1.0, 1.0] * 6})
        results = []
        for deduplicate in ("on", "off", "auto"):
            config = self.config(
                model={"kind": "qcnn_hybrid", "qubits": 4, "filters": 3},
                data={"source": "csv", "file": self.path("data.csv"), "train_count": 18},
                train={"epochs": 3, "batch_size": 13, "seed": 4},
                engine={"deduplicate": deduplicate},
            )
            losses, _ = self.outcome(config, 2, 1)
            weights = support.float64_weights(self.path("run-2-1", "weights.h5"))
            results.append((losses, np.concatenate([w.ravel() for w in weights])))
        (on, on_weights), (off, off_weights), (auto, _) = results
        self.assertEqual(on, auto)
        self.assertNotEqual(on[-1][-1], off[-1][-1], "nothing was merged")
        for merged, apart in zip(on, off):
            np.testing.assert_allclose(merged[:4], apart[:4], rtol=1e-11)
        np.testing.assert_allclose(on_weights, off_weights, rtol=0, atol=1e-9)


if __name__ == "__main__":
    unittest.main()
