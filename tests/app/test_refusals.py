"""What must be refused: with which exit code and message, and leaving nothing behind."""

import json
import os
import unittest

import h5py

import support


class ConfigRefusals(support.AppTest):
    def refused(self, text, place, *says, code=2):
        """This config must be refused at this line:column, before anything is written."""
        path = self.write("wrong.toml", text)
        where = f"wrong.toml:{place}" if place else "wrong.toml"
        self.refuse(code, "train", path, says=(where, *says))
        self.assertFalse(os.path.exists(self.path("run")))

    def tables(self, **lines):
        """A config text; `lines` are further lines of a table. [model] is line 1."""
        parts = {
            "model": 'kind = "qcnn_hybrid"\nqubits = 4',
            "data": 'source = "excitations"\nrounds = 4',
            "output": f'folder = "{self.path("run")}"',
        }
        head = {name: parts.pop(name) if name in parts else None for name in lines}
        text = ""
        for name, more in lines.items():
            text += f"[{name}]\n" + (head[name] + "\n" if head[name] else "") + more + "\n"
        return text + "".join(f"[{name}]\n{body}\n" for name, body in parts.items())

    def test_unknown_key_with_the_nearest_known_one(self):
        self.refused(
            self.tables(train="epochs = 3\n  bach_size = 5"), "3:3", "bach_size", "batch_size"
        )
        self.refused(
            self.tables(optimizer="learning_rat = 0.1"), "2:1", "learning_rat", "learning_rate"
        )
        self.refused(self.tables(engine="precison = 'single'"), "2:1", "precison", "precision")

    def test_unknown_table(self):
        self.refused(self.tables(optimiser="name = 'adam'"), "1:", "optimiser", "optimizer")

    def test_wrong_type(self):
        self.refused(self.tables(train='epochs = "three"'), "2:", "epochs")
        self.refused(self.tables(train="shuffle = 1"), "2:", "shuffle")
        self.refused(self.tables(train="batch_size = 2.5"), "2:", "batch_size")
        self.refused(self.tables(optimizer='learning_rate = "fast"'), "2:", "learning_rate")
        self.refused(self.tables(model="filters = [1]"), "4:", "filters")

    def test_out_of_range(self):
        for table, line, key in (
            ("train", "epochs = -1", "epochs"),
            ("train", "batch_size = 0", "batch_size"),
            ("optimizer", "beta_1 = 1.5", "beta_1"),
            ("optimizer", "epsilon = -1e-7", "epsilon"),
            ("optimizer", "learning_rate = -0.1", "learning_rate"),
            ("engine", "threads = -1", "threads"),
            ("engine", "micro_batch = 0", "micro_batch"),
            ("comm", "timeout_seconds = -1.0", "timeout_seconds"),
        ):
            with self.subTest(line):
                self.refused(self.tables(**{table: line}), "2:", key)
        self.refused(self.tables(data="train_fraction = 1.5"), "4:", "train_fraction")
        self.refused(self.tables(data="train_fraction = -0.5"), "4:", "train_fraction")
        self.refused(self.tables(model="filters = 0"), "4:", "filters")

    def test_numbers_that_are_not_finite(self):
        for value in ("nan", "inf", "-inf"):
            self.refused(self.tables(optimizer=f"learning_rate = {value}"), "2:", "learning_rate")

    def test_unknown_words(self):
        for table, line, says in (
            ("engine", "precision = 'half'", "half"),
            ("optimizer", "name = 'adan'", "adam"),
            ("train", "loss = 'mes'", "mse"),
            ("gradient", "method = 'parameter_shfit'", "parameter_shift"),
            ("engine", "light_cones = 'maybe'", "maybe"),
        ):
            with self.subTest(line):
                self.refused(self.tables(**{table: line}), "2:", says)
        self.refused(self.tables(model="variant = 'tutorail'"), "4:", "tutorial")

    def test_model(self):
        output = f'[output]\nfolder = "{self.path("run")}"\n[data]\nsource = "excitations"\n'
        self.refused('[model]\nkind = "qcn"\n' + output, "2:", "qcnn")
        self.refused('[model]\nkind = "qcnn"\nfilters = 2\n' + output, "", "filters")
        self.refused('[model]\nkind = "qcnn"\nqubits = 1\n' + output, "", "qubits")
        self.refused('[model]\nkind = "qcnn"\nqubits = 0\n' + output, "", "qubits")

    def test_missing_keys(self):
        for left_out in ("kind", "source", "folder"):
            lines = self.tables(train="epochs = 1").split("\n")
            text = "\n".join(line for line in lines if not line.startswith(left_out))
            self.refused(text, "", left_out)

    def test_syntax(self):
        self.refused("[model]\nkind = \n", "2:")
        self.refused("[model\n", "1:")
        self.refused('[model]\nkind = "qcnn"\nkind = "qcnn"\n', "3:", "kind")
        self.refused(self.tables(train="epochs = 3")[:-3], "")

    def test_files_that_are_not_there(self):
        self.refuse(3, "train", self.path("nowhere.toml"), says="nowhere.toml")
        self.refuse(3, "train", self.folder, says=self.folder)
        config = self.small(data={"source": "csv", "file": "nowhere.csv"})
        self.refuse(3, "train", config, says="nowhere.csv")
        self.refuse(3, "train", config, says="nowhere.csv", ranks=3)

    def test_set(self):
        config = self.small()
        self.refuse(2, "train", config, "--set", "train.epoch=3", says=("epoch", "epochs"))
        self.refuse(2, "train", config, "--set", "train.epochs=many", says="epochs")
        self.refuse(2, "train", config, "--set", "train.epochs", says="train.epochs")
        self.refuse(2, "train", config, "--set", "train.epochs=-1", says="epochs")
        self.assertFalse(os.path.exists(self.path("run")))

    def test_command_line(self):
        self.refuse(2, "trian", self.small(), says="trian")
        self.refuse(2, "train", self.small(), "--colour", says="--colour")
        self.refuse(2, "train")
        self.refuse(2)
        self.refuse(2, "train", self.small(), "--threads", -1)
        self.refuse(2, "train", self.small(), "--threads", "two")
        self.refuse(2, "train", self.small(), OMP_NUM_THREADS="many", says="OMP_NUM_THREADS")

    def test_json_error_line(self):
        path = self.write("wrong.toml", self.tables(train="epochs = 3\n  bach_size = 5"))
        for ranks in (0, 3):
            done = self.refuse(2, "train", path, "--json", ranks=ranks)
            lines = [line for line in done.stderr.splitlines() if line.startswith('{"error"')]
            self.assertEqual(len(lines), 1, done.stderr)
            error = json.loads(lines[0])["error"]
            self.assertEqual((error["kind"], error["line"], error["column"]), ("usage", 3, 3))
            self.assertEqual(os.path.basename(error["file"]), "wrong.toml")
            self.assertIn("wrong.toml:3:3", error["message"])


class DataRefusals(support.AppTest):
    def refused(self, text, code, *says, **data):
        self.write("data.csv", text)
        config = self.small(data={"source": "csv", "file": "data.csv", **data})
        self.refuse(code, "train", config, says=("data.csv", *says))
        self.assertFalse(os.path.exists(self.path("run")))

    GOOD = "excited_qubit,angle,label\n0,0.5,1\n1,2.5,-1\n2,0.1,1\n3,1.0,1\n"

    def test_the_good_file_is_good(self):
        self.write("data.csv", self.GOOD)
        self.succeed("train", self.small(data={"source": "csv", "file": "data.csv"}), "--quiet")

    def test_text(self):
        self.refused(self.GOOD.replace("2.5", "2.x5"), 2, "data.csv:3:")
        self.refused(self.GOOD.replace("2.5", ""), 2, "data.csv:3:")
        self.refused(self.GOOD.replace(",-1", ""), 2, "data.csv:3")
        self.refused(self.GOOD.replace("0.1", "nan"), 2, "data.csv:4:")
        self.refused(self.GOOD.replace("\n2,", "\n9,"), 2, "data.csv:4:")
        self.refused(self.GOOD.replace("\n2,", "\n-1,"), 2, "data.csv:4:")
        self.refused(self.GOOD.replace("\n2,", "\n1.5,"), 2, "data.csv:4:")
        self.refused(self.GOOD.replace(",label", ",lable"), 2)

    def test_no_samples(self):
        """B92: N = 0."""
        self.refused(self.GOOD.split("\n")[0] + "\n", 2, "sample")
        self.refused("", 2)

    def test_more_training_rows_than_rows(self):
        self.write("data.csv", self.GOOD)
        self.refuse(
            2,
            "train",
            self.small(data={"source": "csv", "file": "data.csv", "train_count": 5}),
            says="train_count",
        )
        self.refuse(
            2,
            "train",
            self.small(data={"source": "csv", "file": "data.csv", "train_fraction": 0.2}),
            says="train_fraction",
        )

    def test_binary(self):
        with h5py.File(self.path("data.csv"), "w") as file:
            for name, values in (
                ("excited_qubit", [0, 1]),
                ("angle", [0.5, 2.5]),
                ("label", [1.0, -1.0]),
            ):
                file[name] = values
        whole = support.read_bytes(self.path("data.csv"))
        config = self.small(data={"source": "hdf5", "file": "data.csv"})
        self.succeed("train", config, "--quiet")
        for length in (len(whole) // 2, 100, 9):
            with open(self.path("data.csv"), "wb") as file:
                file.write(whole[:length])
            self.refuse(3, "train", config, "--overwrite", says="data.csv")

    def test_shapes(self):
        with h5py.File(self.path("data.h5"), "w") as file:
            for name, values in (
                ("excited_qubit", [0, 1, 2]),
                ("angle", [0.5, 2.5]),
                ("label", [1.0, -1.0]),
            ):
                file[name] = values
        self.refuse(
            2, "train", self.small(data={"source": "hdf5", "file": "data.h5"}), says="data.h5"
        )


class WeightsRefusals(support.AppTest):
    def trained(self, name, **model):
        self.succeed("train", self.small(output=name, model=model, train={"epochs": 1}), "--quiet")
        return self.path(name, "weights.h5")

    def start_from(self, weights, code, *says, **model):
        config = self.small(output="second", model=model, train={"initial_weights": weights})
        self.refuse(code, "train", config, says=says)
        self.assertFalse(os.path.exists(self.path("second", "weights.h5")))

    def test_files_that_cannot_be_read(self):
        good = self.trained("run")
        whole = support.read_bytes(good)
        with open(self.path("cut.h5"), "wb") as file:
            file.write(whole[: len(whole) * 2 // 3])
        self.write("text.h5", "no weights\n")
        with h5py.File(self.path("other.h5"), "w") as file:
            file["something"] = [1.0, 2.0]
        for name in ("nowhere.h5", "cut.h5", "text.h5", "other.h5"):
            with self.subTest(name):
                self.start_from(self.path(name), 3, name)
                self.refuse(3, "evaluate", self.path(name), says=name)
                self.refuse(3, "predict", self.path(name), says=name)

    def test_weights_of_another_model(self):
        """B106: another circuit refuses them, by name or shape."""
        hybrid = self.trained("hybrid")
        qcnn = self.trained("qcnn", kind="qcnn")
        self.start_from(hybrid, 2, "weights.h5", kind="qcnn")
        self.start_from(qcnn, 2, "weights.h5")
        self.start_from(hybrid, 2, "weights.h5", filters=3)
        self.start_from(hybrid, 2, "weights.h5", qubits=6)
        self.start_from(hybrid, 2, "weights.h5", variant="tfq-multiworker")

    def test_data_that_does_not_fit_the_weights(self):
        weights = self.trained("run")
        self.write("other.csv", "x,label\n0.5,1\n")
        self.refuse(2, "evaluate", weights, "--data", self.path("other.csv"))
        self.write("far.csv", "excited_qubit,angle,label\n4,0.5,1\n")
        self.refuse(2, "predict", weights, "--data", self.path("far.csv"), says="far.csv:2:")
        self.refuse(3, "predict", weights, "--data", self.path("nowhere.csv"), says="nowhere.csv")

    def test_evaluating_without_labels(self):
        self.write("plain.csv", "excited_qubit,angle\n1,0.5\n")
        self.refuse(
            2, "evaluate", self.trained("run"), "--data", self.path("plain.csv"), says="label"
        )


class FolderRefusals(support.AppTest):
    def test_folder_in_use(self):
        config = self.small()
        self.succeed("train", config, "--quiet")
        before = support.read_bytes(self.path("run", "metrics.jsonl"))
        for ranks in (0, 2):
            self.refuse(2, "train", config, says=(self.path("run"), "--overwrite"), ranks=ranks)
        self.assertEqual(support.read_bytes(self.path("run", "metrics.jsonl")), before)

    def test_any_part_of_a_run_is_a_run(self):
        for name in ("metrics.jsonl", "weights.h5"):
            os.makedirs(self.path(name + "-run"))
            self.write(os.path.join(name + "-run", name), "")
            self.refuse(2, "train", self.small(output=name + "-run"), says="--overwrite")
        os.makedirs(self.path("third", "checkpoints"))
        self.refuse(2, "train", self.small(output="third"), says="--overwrite")

    def test_a_folder_without_a_run_is_free(self):
        os.makedirs(self.path("run"))
        self.write("run/notes.txt", "mine")
        self.succeed("train", self.small(), "--quiet")
        self.assertEqual(support.read_bytes(self.path("run", "notes.txt")), b"mine")

    def test_overwrite_removes_the_run_and_nothing_else(self):
        config = self.small(train={"epochs": 3})
        self.succeed("train", config, "--quiet")
        first = support.read_bytes(self.path("run", "weights.h5"))
        self.write("run/notes.txt", "mine")
        self.succeed("train", config, "--overwrite", "--quiet")
        self.assertEqual(len(support.events(self.path("run"), "epoch")), 3)
        self.assertEqual(support.read_bytes(self.path("run", "weights.h5")), first)
        self.assertEqual(support.read_bytes(self.path("run", "notes.txt")), b"mine")

    def test_overwrite_and_resume_at_once(self):
        self.refuse(2, "train", self.small(), "--overwrite", "--resume", "auto", says="--resume")

    def test_refused_config_leaves_the_old_run(self):
        self.succeed("train", self.small(), "--quiet")
        before = sorted(os.listdir(self.path("run")))
        self.refuse(2, "train", self.small(train={"epochs": -1}), "--overwrite")
        self.refuse(
            3, "train", self.small(data={"source": "csv", "file": "nowhere.csv"}), "--overwrite"
        )
        self.assertEqual(sorted(os.listdir(self.path("run"))), before)

    def test_output_that_cannot_be_written(self):
        self.write("file", "")
        self.refuse(3, "train", self.small(output="file/run"), says="file/run")
        self.refuse(3, "train", self.small(output="file/run"), says="file/run", ranks=2)


class MemoryRefusals(support.AppTest):
    def test_states_that_do_not_fit(self):
        for qubits, needed in ((36, "1,099,511,627,776"), (50, "18,014,398,509,481,984")):
            for ranks in (0, 2):
                with self.subTest(qubits=qubits, ranks=ranks):
                    config = self.small(
                        model={"kind": "qcnn", "qubits": qubits},
                        data={"rounds": 1},
                        engine={"light_cones": "off"},
                    )
                    began = support.cpu_seconds()
                    self.refuse(
                        3, "train", config, says=(needed, "available"), ranks=ranks, timeout=20
                    )
                    # Its own, not the machine's, of a launcher and each rank: no state was made.
                    self.assertLess(support.cpu_seconds() - began, 1.0 + ranks)
                    self.assertFalse(os.path.exists(self.path("run", "metrics.jsonl")))


if __name__ == "__main__":
    unittest.main()
