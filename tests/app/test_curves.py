"""Training repeats recorded runs of independent programs: curves, gradients, weights."""

import json
import unittest

import numpy as np

import support

SGD_STEP = {"name": "sgd", "learning_rate": 1.0}


class Curves(support.AppTest):
    def train(self, run, ranks=0, **changes):
        """Trains a recorded run with changed settings; returns the output folder."""
        tables = support.run_tables(run, self.folder, **changes)
        if changes.get("optimizer") == SGD_STEP:
            tables["optimizer"] = SGD_STEP
        self.succeed(
            "train", self.config(**tables), "--overwrite", "--quiet", ranks=ranks, timeout=1200
        )
        return tables["output"]["folder"]

    def assert_close(self, ours, theirs, tolerance, what, relative=True):
        ours, theirs = np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float)
        self.assertEqual(ours.shape, theirs.shape, what)
        worst = np.max(np.abs(ours - theirs) / (np.abs(theirs) if relative else 1.0))
        self.assertLessEqual(worst, tolerance, what)

    def assert_curves(self, folder, exact, tolerance, epochs=None):
        for key in ("loss", "val_loss"):
            self.assert_close(
                support.epoch_values(folder, key), exact["history"][key][:epochs], tolerance, key
            )

    def each_run(self, check):
        """check(name, run) for every recorded run, each a test of its own."""
        for name, run in support.recorded_runs():
            with self.subTest(run=name):
                check(name, run)

    def test_there_are_runs(self):
        kinds = {(r["model"]["kind"], r["model"]["variant"]) for _, r in support.recorded_runs()}
        self.assertEqual(
            kinds, {("full", "tutorial"), ("one", "tutorial"), ("one", "tfq-multiworker")}
        )

    def test_double_precision(self):
        def check(_, run):
            folder = self.train(run)
            self.assert_curves(folder, run["exact"], 1e-9)
            weights = support.float64_weights(folder + "/weights.h5")
            # Weights without effect drift by rounding noise (tests/reference/replay.py).
            self.assert_close(
                np.concatenate([w.ravel() for w in weights]),
                support.replay.flat(run["exact"]["final_weights"]),
                1e-7,
                "weights",
                False,
            )
            done = self.succeed("predict", folder + "/weights.h5", "--json")
            predicted = json.loads(done.stdout)
            self.assert_close(
                predicted["predictions"],
                run["exact"]["final_predictions_validation"],
                1e-8,
                "predictions",
                False,
            )
            self.assertEqual(predicted["labels"], run["data"]["label"][run["train"] :])

        self.each_run(check)

    def test_single_precision(self):
        def check(_, run):
            folder = self.train(run, engine={"precision": "single"})
            self.assert_curves(folder, run["exact"], 2e-3)

        self.each_run(check)

    def test_parameter_shift_gives_the_curve_of_the_adjoint(self):
        def check(name, run):
            if run["model"]["qubits"] > 6 and not support.LONG:
                return
            epochs = run["epochs"] if support.LONG else 2
            curves = []
            for method in ("adjoint", "parameter_shift"):
                folder = self.train(
                    run,
                    gradient={"method": method},
                    train={"epochs": epochs},
                    ranks=2 if support.LONG else 0,
                )
                self.assert_curves(folder, run["exact"], 1e-9, epochs)
                curves.append(
                    support.epoch_values(folder, "loss") + support.epoch_values(folder, "val_loss")
                )
            self.assert_close(curves[1], curves[0], 1e-9, f"{name}: curves of both methods")

        self.each_run(check)

    def test_gradient_of_all_training_rows(self):
        """One step of SGD with rate 1 over all rows at once moves the weights by their gradient."""

        def check(name, run):
            for method in ("adjoint", "parameter_shift"):
                if method == "parameter_shift" and run["model"]["qubits"] > 6 and not support.LONG:
                    continue
                folder = self.train(
                    run,
                    optimizer=SGD_STEP,
                    gradient={"method": method},
                    train={"epochs": 1, "batch_size": run["train"]},
                )
                after = support.float64_weights(folder + "/weights.h5")
                for before, now, gradient in zip(
                    run["initial_weights"], after, run["exact"]["initial_train_gradient"]
                ):
                    self.assert_close(
                        np.asarray(before) - now, gradient, 1e-10, f"{name} {method}", False
                    )
                self.assert_close(
                    support.epoch_values(folder, "loss"),
                    [run["exact"]["initial_train_loss"]],
                    1e-9,
                    "loss at the start",
                )

        self.each_run(check)

    def test_log_names_the_method(self):
        _, run = next(support.recorded_runs())
        for method in ("adjoint", "parameter_shift"):
            tables = support.run_tables(
                run, self.folder, gradient={"method": method}, train={"epochs": 1}
            )
            done = self.succeed("train", self.config(**tables), "--overwrite")
            self.assertIn(method.replace("_", " "), done.stderr.replace("_", " "))


if __name__ == "__main__":
    unittest.main()
