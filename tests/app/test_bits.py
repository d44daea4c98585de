"""The same training gives the same bits on any number of ranks and threads."""

import unittest

import support

RANKS = (1, 2, 3, 4, 5, 7)
THREADS = (1, 2)


class Bits(support.AppTest):
    def outcome(self, config, ranks, threads):
        folder = self.path(f"run-{ranks}-{threads}")
        self.succeed(
            "train",
            config,
            "--quiet",
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

    def check(self, model, **changes):
        config = self.small(
            model=model, data={"rounds": 4}, train={"epochs": 3, "batch_size": 13}, **changes
        )
        first = None
        for ranks in RANKS:
            for threads in THREADS:
                losses, weights = self.outcome(config, ranks, threads)
                first = first or (losses, weights)
                self.assertEqual(losses, first[0], f"{ranks} ranks, {threads} threads")
                self.assertTrue(
                    weights == first[1], f"{ranks} ranks, {threads} threads: weights.h5 differs"
                )

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


if __name__ == "__main__":
    unittest.main()
