"""The files of a run: metrics, config, weights by Keras' rules, results, Keras' own files."""

import json
import os
import unittest

import h5py
import numpy as np

import support

# Sorted as strings, as Keras' quantum layer does: qconv10 comes before qconv2.
SYMBOLS = sorted(f"qconv{k}" for k in range(21))


class Metrics(support.AppTest):
    def test_events_and_fields(self):
        """4 qubits x 4 rounds: 16 samples, 11 train, batches of 5, 5 and 1."""
        self.succeed("train", self.small(train={"log_every_steps": 1}), "--quiet", ranks=2)
        records = support.events(self.path("run"))
        self.assertEqual(records[0]["event"], "start")
        self.assertEqual(records[-1]["event"], "end")
        start, end = records[0], records[-1]
        self.assertEqual((start["ranks"], start["threads"] >= 1, start["seed"]), (2, True, 4))
        self.assertEqual(start["parameters"], 21 + 2 * 8 + 8 + 8 + 1)
        self.assertTrue(start["run"] and start["version"])
        self.assertEqual(
            {k: end[k] for k in ("status", "epochs", "weights", "exit_code")},
            {"status": "finished", "epochs": 2, "weights": "weights.h5", "exit_code": 0},
        )
        epochs = support.events(self.path("run"), "epoch")
        self.assertEqual([(r["epoch"], r["step"]) for r in epochs], [(1, 3), (2, 6)])
        for record in epochs:
            for key in (
                "loss",
                "accuracy",
                "val_loss",
                "val_accuracy",
                "learning_rate",
                "seconds",
                "samples_per_second",
            ):
                self.assertIsInstance(record[key], float, key)
            self.assertRegex(record["weights_sha256"], "^[0-9a-f]{64}$")
            self.assertEqual(record["learning_rate"], 0.02)
            self.assertAlmostEqual(record["accuracy"] * 11, round(record["accuracy"] * 11), 9)
            self.assertAlmostEqual(record["val_accuracy"] * 5, round(record["val_accuracy"] * 5), 9)
        steps = support.events(self.path("run"), "step")
        losses = [r["loss"] for r in steps]
        self.assertAlmostEqual(
            (5 * losses[0] + 5 * losses[1] + losses[2]) / 11, epochs[0]["loss"], 12
        )
        self.assertEqual(
            set(os.listdir(self.path("run"))) - {"tensorboard", "report.html", "checkpoints"},
            {"config.toml", "metrics.jsonl", "weights.h5"},
        )

    def test_every_step_of_every_epoch(self):
        """B109: 20 steps, written each, 3 epochs."""
        self.succeed(
            "train",
            self.small(
                data={"rounds": 6, "train_count": 20},
                train={"epochs": 3, "batch_size": 1, "log_every_steps": 1},
            ),
            "--quiet",
        )
        self.assertEqual(
            [r["step"] for r in support.events(self.path("run"), "step")], list(range(1, 61))
        )

    def test_step_events_every_so_often_or_never(self):
        for every, expected in ((0, []), (4, [4])):
            self.succeed(
                "train", self.small(train={"log_every_steps": every}), "--quiet", "--overwrite"
            )
            self.assertEqual(
                [r["step"] for r in support.events(self.path("run"), "step")], expected
            )

    def test_order(self):
        """B95: each sample once per epoch, epochs differ, the same for any number of ranks."""
        orders = []
        for ranks in (1, 3):
            self.succeed(
                "train",
                self.small(
                    data={"rounds": 3, "train_count": 10},
                    train={"batch_size": 4, "log_order": True},
                ),
                "--quiet",
                "--overwrite",
                ranks=ranks,
            )
            records = support.events(self.path("run"), "order")
            self.assertEqual([r["epoch"] for r in records], [1, 2])
            orders.append([r["ids"] for r in records])
            for ids in orders[-1]:
                self.assertEqual(sorted(ids), list(range(10)))
            self.assertNotEqual(*orders[-1])
        self.assertEqual(*orders)

    def test_order_without_shuffling(self):
        self.succeed("train", self.small(train={"shuffle": False, "log_order": True}), "--quiet")
        self.assertEqual(
            [r["ids"] for r in support.events(self.path("run"), "order")], [list(range(11))] * 2
        )

    def test_seeds(self):
        losses = []
        for changes in ({}, {}, {"train": {"seed": 5}}, {"data": {"seed": 5}}):
            self.succeed("train", self.small(**changes), "--quiet", "--overwrite")
            losses.append(tuple(support.epoch_values(self.path("run"), "loss")))
        self.assertEqual(losses[0], losses[1])
        self.assertEqual(len(set(losses)), 3)

    def test_talk(self):
        done = self.succeed("train", self.small(), ranks=2)
        for name in ("weights.h5", "metrics.jsonl", "config.toml"):
            self.assertIn(os.path.join(self.path("run"), name), done.stdout + done.stderr)
        lines = [line for line in done.stderr.split("\n") if "val_loss" in line]
        self.assertEqual(len(lines), 2, done.stderr)
        for word in ("loss", "accuracy", "val_accuracy", "samples/s"):
            self.assertIn(word, lines[0])
        self.assertNotIn("\r", done.stderr)
        self.assertEqual(
            self.succeed("train", self.small(), "--quiet", "--overwrite", ranks=2).stderr, ""
        )


class Config(support.AppTest):
    def test_resolved_config_trains_to_the_same_bits(self):
        self.succeed("train", self.small(), "--quiet", "--set", "optimizer.learning_rate=0.03")
        self.succeed(
            "train",
            self.path("run", "config.toml"),
            "--quiet",
            "--set",
            f"output.folder={self.path('again')}",
        )
        self.assertTrue(
            support.read_bytes(self.path("run", "weights.h5"))
            == support.read_bytes(self.path("again", "weights.h5"))
        )
        self.assertEqual(support.epoch_values(self.path("again"), "learning_rate"), [0.03, 0.03])

    def test_set_takes_words_without_quotes(self):
        self.succeed(
            "train",
            self.small(),
            "--quiet",
            "--set",
            "engine.precision=single",
            "--set",
            "train.epochs=1",
        )
        self.assertEqual(len(support.events(self.path("run"), "epoch")), 1)

    def test_data_beside_the_config_and_every_form_of_it(self):
        """CSV and HDF5 with the same values give the same curve."""
        random = np.random.RandomState(7)
        data = {
            "excited_qubit": random.randint(0, 4, 12).tolist(),
            "angle": random.uniform(-3, 3, 12).tolist(),
            "label": random.choice([-1.0, 1.0], 12).tolist(),
        }
        support.write_csv(self.path("data.csv"), data)
        with h5py.File(self.path("data.h5"), "w") as file:
            for name, values in data.items():
                file[name] = values
        losses = []
        for source, name in (("csv", "data.csv"), ("hdf5", "data.h5")):
            self.succeed(
                "train", self.small(data={"source": source, "file": name}), "--quiet", "--overwrite"
            )
            losses.append(support.epoch_values(self.path("run"), "val_loss"))
        self.assertEqual(*losses)

    def test_schedule(self):
        self.succeed("train", self.small(**{"optimizer.schedule": {"kind": "constant"}}), "--quiet")


class Weights(support.AppTest):
    def test_layout_for_keras(self):
        self.succeed("train", self.small(model={"filters": 3}), "--quiet")
        layers = support.load_by_keras_rules(self.path("run", "weights.h5"))
        self.assertEqual(
            [[a.shape for _, a in arrays] for _, arrays in layers],
            [[(21,)], [(21,)], [(21,)], [(6, 8), (8,)], [(8, 1), (1,)]],
        )
        with h5py.File(self.path("run", "weights.h5"), "r") as file:
            self.assertEqual(support.text_of(file.attrs["backend"]), "tensorflow")
            self.assertIn("keras_version", file.attrs)
            for layer in support.names_attribute(file, "layer_names"):
                self.assertIn("weight_names", file[layer].attrs)
        for _, arrays in layers:
            for _, values in arrays:
                self.assertEqual(values.dtype, np.float32)

    def test_symbols_are_sorted_as_strings(self):
        """Which array place belongs to which symbol; the values agree by float64_weights()."""
        self.succeed("train", self.small(), "--quiet")
        path = self.path("run", "weights.h5")
        (layer, [(_, array)]) = support.load_by_keras_rules(path)[0]
        with h5py.File(path, "r") as file:
            names, values = support.own_layer(file, layer)
        self.assertEqual(sorted(names), SYMBOLS)
        by_name = dict(zip(names, values))
        self.assertEqual([np.float32(by_name[name]) for name in SYMBOLS], array.tolist())

    def test_double_values(self):
        self.succeed("train", self.small(), "--quiet")
        weights = support.float64_weights(self.path("run", "weights.h5"))
        self.assertEqual([w.shape for w in weights], [(21,), (2, 8), (8,), (8, 1), (1,)])
        self.assertTrue(any(np.any(w != w.astype(np.float32)) for w in weights))

    def test_nothing_of_ranks_time_or_folder(self):
        self.succeed("train", self.small(), "--quiet")
        content = support.read_bytes(self.path("run", "weights.h5"))
        self.assertNotIn(self.folder.encode(), content)
        self.succeed(
            "train",
            self.small(output="second", comm={"timeout_seconds": 77.0}),
            "--quiet",
            "--threads",
            2,
            ranks=2,
        )
        self.assertTrue(support.read_bytes(self.path("second", "weights.h5")) == content)

    def test_start_from_own_weights(self):
        """Training goes on from the doubles, not from their float32 copies."""
        self.succeed("train", self.small(), "--quiet")
        start = self.path("run", "weights.h5")
        frozen = {"name": "sgd", "learning_rate": 1e-300}
        self.succeed(
            "train",
            self.small(
                output="second", train={"initial_weights": start, "epochs": 1}, optimizer=frozen
            ),
            "--quiet",
        )
        for before, after in zip(
            support.float64_weights(start),
            support.float64_weights(self.path("second", "weights.h5")),
        ):
            self.assertTrue(np.array_equal(before, after))


class Results(support.AppTest):
    def result(self, *arguments, ranks=0):
        return json.loads(self.succeed(*arguments, "--json", ranks=ranks).stdout)

    def test_evaluate_equals_the_last_validation(self):
        for precision in ("double", "single"):
            self.succeed(
                "train",
                self.small(engine={"precision": precision}),
                "--quiet",
                "--overwrite",
                ranks=2,
            )
            last = support.events(self.path("run"), "epoch")[-1]
            for ranks in (0, 3):
                found = self.result("evaluate", self.path("run", "weights.h5"), ranks=ranks)
                self.assertEqual(
                    found,
                    {"samples": 5, "loss": last["val_loss"], "accuracy": last["val_accuracy"]},
                )

    def test_predict(self):
        self.succeed("train", self.small(), "--quiet")
        weights = self.path("run", "weights.h5")
        found = self.result("predict", weights)
        self.assertEqual((len(found["predictions"]), len(found["labels"])), (5, 5))
        self.assertEqual(found["loss"], self.result("evaluate", weights)["loss"])
        error = np.array(found["predictions"]) - np.array(found["labels"])
        self.assertAlmostEqual(found["loss"], float(np.mean(error**2)), 12)
        # B106: another process, another number of ranks, the same bits.
        for ranks in (1, 3):
            self.assertEqual(self.result("predict", weights, ranks=ranks), found)

    def test_predict_other_data(self):
        """All rows, in their order; without labels neither labels nor a loss."""
        self.succeed("train", self.small(), "--quiet")
        weights = self.path("run", "weights.h5")
        self.write("data.csv", "excited_qubit,angle,label\n3,0.25,1\n0,2.5,-1\n1,-0.5,1\n")
        self.write("plain.csv", "excited_qubit,angle\n3,0.25\n0,2.5\n1,-0.5\n")
        self.write("turned.csv", "angle,excited_qubit\n-0.5,1\n2.5,0\n0.25,3\n")
        full = self.result("predict", weights, "--data", self.path("data.csv"))
        plain = self.result("predict", weights, "--data", self.path("plain.csv"))
        turned = self.result("predict", weights, "--data", self.path("turned.csv"))
        self.assertEqual(full["labels"], [1.0, -1.0, 1.0])
        self.assertEqual(plain, {"predictions": full["predictions"]})
        self.assertEqual(turned["predictions"], full["predictions"][::-1])
        self.assertEqual(
            self.result("evaluate", weights, "--data", self.path("data.csv"))["samples"], 3
        )

    def test_text_results(self):
        self.succeed("train", self.small(), "--quiet")
        weights = self.path("run", "weights.h5")
        self.assertIn("loss", self.succeed("evaluate", weights).stdout)
        self.assertTrue(self.succeed("predict", weights).stdout.strip())

    def test_weights_carry_their_config(self):
        """The run's folder moved away and its data gone: the config in the file is enough."""
        self.succeed("train", self.small(), "--quiet")
        loss = support.epoch_values(self.path("run"), "val_loss")[-1]
        os.rename(self.path("run", "weights.h5"), self.path("alone.h5"))
        os.rename(self.path("run"), self.path("elsewhere"))
        self.assertEqual(self.result("evaluate", self.path("alone.h5"))["loss"], loss)

    def test_version(self):
        self.assertIn("0.1", self.succeed("--version").stdout)
        found = json.loads(self.succeed("--version", "--json").stdout)
        self.assertIn("version", found)


class Sums(support.AppTest):
    """Weighted by samples, on any number of ranks; right values from the independent replay."""

    def gradient(self, rows, ranks):
        run = support.replay.own_run("one", 4, 1, "tutorial", rows + 2, rows, rows, 1, 99)
        tables = support.run_tables(run, self.folder, train={"batch_size": rows, "epochs": 1})
        tables["optimizer"] = {"name": "sgd", "learning_rate": 1.0}
        self.succeed("train", self.config(**tables), "--quiet", "--overwrite", ranks=ranks)
        after = support.float64_weights(self.path("run", "weights.h5"))
        for before, now, expected in zip(
            run["initial_weights"], after, run["exact"]["initial_train_gradient"]
        ):
            np.testing.assert_allclose(np.array(before) - now, expected, rtol=0, atol=1e-10)
        return support.read_bytes(self.path("run", "weights.h5"))

    def test_uneven_shares(self):
        """B90: 5 samples on 1 to 4 ranks (3 + 2, 2 + 2 + 1, ...)."""
        self.assertEqual(len({self.gradient(5, ranks) for ranks in (1, 2, 3, 4)}), 1)

    def test_fewer_samples_than_ranks(self):
        """B92: 2 samples on 4 ranks."""
        self.assertEqual(len({self.gradient(2, ranks) for ranks in (1, 4)}), 1)

    def test_all_samples_train(self):
        """Without validation rows there is no validation."""
        self.succeed("train", self.small(data={"train_fraction": 1.0}), "--quiet", ranks=2)
        for record in support.events(self.path("run"), "epoch"):
            self.assertIsNone(record.get("val_loss"))


class Keras(support.AppTest):
    CASES = ["keras_hybrid_n8.h5", "keras_hybrid_n8.weights.h5", "keras_hybrid_3filters_n8.h5"]

    def setUp(self):
        super().setUp()
        if not os.path.isdir(os.path.join(support.SHARED, "data", "keras")):
            self.skipTest("Keras' own files are not here")

    def imported(self, name):
        """Imports one of Keras' files; returns the weights, the facts beside it, the data."""
        source = os.path.join(support.SHARED, "data", "keras", name)
        with open(source.replace(".weights", "")[: -len(".h5")] + ".json") as file:
            facts = json.load(file)
        support.write_csv(self.path("data.csv"), facts["data"])
        config = self.small(model={"qubits": 8, "filters": facts["model"]["filters"]})
        self.succeed("import", "--keras", source, config, self.path("imported.h5"))
        return self.path("imported.h5"), facts, self.path("data.csv")

    def predictions(self, weights, data):
        done = self.succeed("predict", weights, "--data", data, "--json")
        return np.array(json.loads(done.stdout)["predictions"])

    def test_imported_weights_predict_what_keras_predicts(self):
        for name in self.CASES:
            with self.subTest(name):
                weights, facts, data = self.imported(name)
                np.testing.assert_allclose(
                    self.predictions(weights, data), facts["predictions"], rtol=0, atol=1e-5
                )

    def test_export_goes_back(self):
        for name in self.CASES:
            with self.subTest(name):
                weights, facts, data = self.imported(name)
                self.succeed("export", "--keras", weights, self.path("exported.h5"))
                source = os.path.join(support.SHARED, "data", "keras", name.replace(".weights", ""))
                ours = support.load_by_keras_rules(self.path("exported.h5"))
                theirs = support.load_by_keras_rules(source)
                self.assertEqual(len(ours), len(theirs))
                for (_, a), (_, b) in zip(ours, theirs):
                    for (_, x), (_, y) in zip(a, b):
                        self.assertTrue(np.array_equal(x, y))
                config = self.small(model={"qubits": 8, "filters": facts["model"]["filters"]})
                self.succeed(
                    "import", "--keras", self.path("exported.h5"), config, self.path("again.h5")
                )
                self.assertTrue(
                    np.array_equal(
                        self.predictions(self.path("again.h5"), data),
                        self.predictions(weights, data),
                    )
                )

    def test_import_into_another_model(self):
        source = os.path.join(support.SHARED, "data", "keras", self.CASES[0])
        for model in ({"qubits": 8, "filters": 3}, {"qubits": 8, "kind": "qcnn"}, {"qubits": 6}):
            self.refuse(
                2,
                "import",
                "--keras",
                source,
                self.small(model=model),
                self.path("out.h5"),
                says="keras_hybrid_n8.h5",
            )
            self.assertFalse(os.path.exists(self.path("out.h5")))

    def test_training_goes_on_from_keras_weights(self):
        source = os.path.join(support.SHARED, "data", "keras", self.CASES[1])
        self.succeed(
            "train", self.small(model={"qubits": 8}, train={"initial_weights": source}), "--quiet"
        )


if __name__ == "__main__":
    unittest.main()
