"""What must not be lost, not be silent, and not crash."""

import os
import subprocess
import unittest

import h5py
import numpy as np

import support


class Trained(support.AppTest):
    """A small trained model in run/weights.h5."""

    def setUp(self):
        super().setUp()
        self.succeed("train", self.small(), "--quiet")
        self.weights = self.path("run", "weights.h5")


class DataByContent(Trained):
    def samples(self):
        return {"excited_qubit": [0, 3, 1], "angle": [0.25, -2.5, 1.0], "label": [1.0, -1.0, 1.0]}

    def hdf5(self):
        with h5py.File(self.path("samples.h5"), "w") as file:
            for name, values in self.samples().items():
                file[name] = np.array(values)
        return self.path("samples.h5")

    def test_hdf5_and_csv_give_the_same(self):
        support.write_csv(self.path("samples.csv"), self.samples())
        for command in ("evaluate", "predict"):
            texts = [
                self.succeed(command, self.weights, "--data", file, "--json").stdout
                for file in (self.path("samples.csv"), self.hdf5())
            ]
            self.assertEqual(texts[0], texts[1])

    def test_a_cut_hdf5_file_is_unreadable(self):
        whole = support.read_bytes(self.hdf5())
        with open(self.path("cut.h5"), "wb") as file:
            file.write(whole[: len(whole) // 2])
        self.refuse(3, "evaluate", self.weights, "--data", self.path("cut.h5"), says="cut.h5")


class NothingLost(Trained):
    def test_a_config_that_belongs_to_no_run_stays(self):
        os.mkdir(self.path("project"))
        config = self.small(output="project", name="project/config.toml")
        before = support.read_bytes(config)
        self.refuse(2, "train", config, says="config.toml")
        self.refuse(2, "train", config, "--overwrite", says="config.toml")
        self.assertEqual(support.read_bytes(config), before)

    def test_overwrite_leaves_other_files(self):
        os.mkdir(self.path("run", "tensorboard"))
        self.write("run/tensorboard/mine.txt", "mine")
        self.succeed("train", self.small(), "--quiet", "--overwrite")
        self.assertTrue(os.path.exists(self.path("run", "tensorboard", "mine.txt")))

    def test_no_file_is_read_and_written_at_once(self):
        before = support.read_bytes(self.weights)
        self.refuse(2, "export", "--keras", self.weights, self.weights, says="weights.h5")
        same = os.path.join(self.path("run"), ".", "weights.h5")
        self.refuse(2, "export", "--keras", self.weights, same, says="weights.h5")
        self.refuse(2, "import", "--keras", self.weights, self.small(), self.weights)
        self.assertEqual(support.read_bytes(self.weights), before)

    def test_damaged_weights_are_told_from_good_ones(self):
        """One byte changed at many places: read as before, or refused; never a crash."""
        whole = support.read_bytes(self.weights)
        good = self.succeed("evaluate", self.weights, "--json").stdout
        random = np.random.default_rng(7)
        for place in random.integers(0, len(whole), 80):
            damaged = bytearray(whole)
            damaged[place] ^= 1 << int(random.integers(0, 8))
            with open(self.path("damaged.h5"), "wb") as file:
                file.write(damaged)
            done = support.run("evaluate", self.path("damaged.h5"), "--json")
            with self.subTest(place=int(place)):
                self.assertIn(done.returncode, (0, 2, 3), done.stderr[-2000:])
                if done.returncode == 0:
                    self.assertEqual(done.stdout, good)

    def test_a_result_that_cannot_be_written(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run(
                [support.PROGRAM, "evaluate", self.weights],
                stdout=full,
                stderr=subprocess.PIPE,
                text=True,
                timeout=60,
                env=support.environment(),
            )
        self.assertEqual(done.returncode, 3, done.stderr)


class GroupsWithoutEnd(support.AppTest):
    """Keras' newer layout, with groups below a layer through which one can walk for ever."""

    def refuse_links(self, link):
        with h5py.File(self.path("in.weights.h5"), "w") as file:
            file["/layers/dense/vars/0"] = np.ones((2, 3), "f4")
            link(file)
        self.refuse(
            *(2, "import", "--keras", self.path("in.weights.h5"), self.small()),
            self.path("out.h5"),
            says=("/layers/", "in.weights.h5", "too deep or too many"),
            timeout=60,
        )

    def test_circles(self):
        def inside(file):
            group = file.create_group("/layers/pqc/inner")
            group["again"] = group

        def layers(file):
            file["/layers/again"] = file["/layers"]
            file["/layers/dense/again"] = file["/layers/dense"]

        self.refuse_links(inside)
        self.refuse_links(layers)

    def test_ever_more_paths(self):
        def doubled(file):
            group = file.create_group("/layers/pqc/inner")
            for _ in range(30):
                group["b"] = group.create_group("a")
                group = group["a"]

        self.refuse_links(doubled)

    def test_depth(self):
        def deep(file):
            group = file.create_group("/layers/pqc/inner")
            for _ in range(3000):
                group = group.create_group("a")

        self.refuse_links(deep)

    def test_empty_groups_are_none_of_it(self):
        """Keras writes groups for layers that hold no weights."""
        with h5py.File(self.path("in.weights.h5"), "w") as file:
            file["/layers/dense/vars/0"] = np.ones((2, 3), "f4")
            for layer in range(20):
                file.create_group(f"/layers/functional/layers/activation_{layer}/vars")
        self.refuse(
            *(2, "import", "--keras", self.path("in.weights.h5"), self.small()),
            self.path("out.h5"),
            says="1 layers with weights",
        )


class NothingSilent(support.AppTest):
    def test_weights_that_overflow(self):
        huge = {"name": "sgd", "learning_rate": 1e50}
        config = self.small(optimizer=huge, train={"epochs": 1, "batch_size": 1000})
        self.refuse(4, "train", config, says="diverges")
        self.assertFalse(os.path.exists(self.path("run", "weights.h5")))

    def test_patience_without_validation(self):
        config = self.small(
            train={"early_stopping_patience": 2}, data={"train_fraction": 1.0}
        )
        self.refuse(2, "train", config, says=("early_stopping_patience", "config.toml"))

    def test_no_epochs_no_loss(self):
        done = self.succeed("train", self.small(train={"epochs": 0}), "--json", "--quiet")
        self.assertNotIn('"loss"', done.stdout)

    def test_a_wrong_label_is_shown_by_line(self):
        self.write("samples.csv", "excited_qubit,angle,label\n0,0.1,1\n1,0.2,3\n2,0.3,1\n")
        config = self.small(
            data={"source": "csv", "file": "samples.csv", "train_fraction": 1.0},
            train={"loss": "hinge"},
        )
        text = open(config).read().replace("rounds = 4\n", "")
        self.write("config.toml", text)
        self.refuse(2, "train", config, says="samples.csv:3: ")

    def test_names_of_layers(self):
        for name in ("a/b", "..", "wavetrain", "top_level_model_weights"):
            self.write(
                "layers.toml",
                f"""
[data]
source = "excitations"
[[model.layers]]
type = "dense"
name = "{name}"
units = 1
[output]
folder = "{self.path('layers')}"
""",
            )
            self.refuse(2, "train", self.path("layers.toml"), says=("layers.toml:4", name))

    def test_too_many_units(self):
        self.write(
            "layers.toml",
            f"""
[data]
source = "excitations"
[[model.layers]]
type = "dense"
units = 1000000000
[output]
folder = "{self.path('layers')}"
""",
        )
        self.refuse(3, "train", self.path("layers.toml"), says=("bytes", "available"))

    def test_a_fault_at_no_place(self):
        self.refuse(
            2, "train", self.small(), says="no place", WAVETRAIN_FAULT="rank=0,at=foo,kind=throw"
        )


class NumbersThatAreNone(support.AppTest):
    """What is not a finite number ends in an error that names its place."""

    def circuit(self, gate):
        return self.write(
            "c.qasm", f'OPENQASM 3;\ninclude "stdgates.inc";\ninput float a;\nqubit q;\n{gate} q;\n'
        )

    def test_angles(self):
        circuit = self.circuit("rx(ln(a))")
        for wanted in (("--observe", "Z0"), ("--samples", 5), ("--amplitudes",)):
            for value in (-1, 0):
                self.refuse(4, "simulate", circuit, "--bind", f"a={value}", *wanted, says="c.qasm:5:1")
        out = self.path("out.qasm")
        self.refuse(2, "export", "--qasm", 2, circuit, out, "--bind", "a=-1", says="c.qasm:5:1")
        self.assertFalse(os.path.exists(out))

    def test_derivatives(self):
        circuit = self.circuit("ry(sqrt(a))")
        self.succeed("simulate", circuit, "--bind", "a=0", "--observe", "Z0")
        for method in ("adjoint", "parameter_shift"):
            self.refuse(
                4,
                *("simulate", circuit, "--bind", "a=0", "--observe", "Z0", "--gradient", method),
                says="'a'",
            )

    def test_coefficients(self):
        circuit = self.circuit("rx(a)")
        self.refuse(
            2, "simulate", circuit, "--bind", "a=1", "--observe", "1e308*Z0+1e308*Z0", says="finite"
        )

    def test_a_folder_is_no_circuit(self):
        os.mkdir(self.path("d.qasm"))
        for command in ("simulate", "draw", "plan"):
            self.refuse(3, command, self.path("d.qasm"), says="directory")

    def test_sixty_two_qubits(self):
        self.write("big.qasm", "OPENQASM 2.0;\nqreg q[62];\n")
        self.refuse(
            3,
            *("simulate", self.path("big.qasm"), "--amplitudes"),
            says=("73,786,976,294,838,206,464 bytes", "available"),
        )


class RanksThatDisagree(support.AppTest):
    def start(self, *different, timeout=60):
        """Two ranks, of which the second has other options."""
        config = self.small()
        command = [support.MPIRUN, "-n", "1", support.PROGRAM, "train", config, ":"]
        command += ["-n", "1", support.PROGRAM, "train", config, *different]
        return subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=timeout,
            stdin=subprocess.DEVNULL,
            env=support.environment(),
        )

    def test_other_options(self):
        for key in ("train.epochs=3", "engine.micro_batch=3", "optimizer.learning_rate=0.1"):
            with self.subTest(key):
                done = self.start("--set", key)
                self.assertEqual(done.returncode, 3, done.stderr)
                self.assertIn("rank 1 has read something else", done.stderr)
                self.assertFalse(os.path.exists(self.path("run")))

    def test_a_rank_that_hangs_is_named(self):
        config = self.small(comm={"timeout_seconds": 2})
        done = self.refuse(
            69,
            "train",
            config,
            ranks=3,
            timeout=60,
            WAVETRAIN_FAULT="rank=1,at=step:2,kind=hang",
        )
        self.assertRegex(done.stderr, r"ranks 0, 2 of 3 .*waiting for the others .*at: step 2")
        self.assertRegex(done.stderr, r"rank 1 of 3 .*has not arrived.*step 2\n")


if __name__ == "__main__":
    unittest.main()
