"""An interrupted run goes on with the bits of the unbroken one; what does not fit is refused."""

import fcntl
import os
import random
import shutil
import signal
import unittest

import h5py
import numpy as np

import runs
import support

KILLED = (137, -9)  # mpirun's code for a rank that was killed, and the code of a killed process


class KilledAtAStep(runs.RunTest):
    def test_random_points_and_ranks(self):
        """20 random steps at which a run is killed, other numbers of ranks before and after."""
        dice = random.Random(20)
        unbroken = self.unbroken()
        steps = len(support.events(unbroken, "step"))
        config = self.traced()
        for _ in range(20):
            step, every = dice.randint(1, steps), dice.choice((1, 2, 3, 5))
            before, after = dice.choice(((0, 2), (0, 3), (2, 0), (3, 0), (0, 0)))
            setting = ("--set", f"checkpoint.every_steps={every}")
            with self.subTest(step=step, every=every, before=before, after=after):
                done = support.run(
                    *("train", config, "--quiet", "--overwrite", *setting),
                    ranks=before,
                    WAVETRAIN_FAULT=f"rank={max(before - 1, 0)},at=step:{step},kind=kill",
                )
                self.assertIn(done.returncode, KILLED, done.stderr)
                self.assert_readable(self.path("run"))
                found = max(runs.checkpoints(self.path("run")), default=None)
                self.succeed(
                    *("train", config, "--resume", "auto", "--quiet", *setting), ranks=after
                )
                resumed = [r["step"] for r in support.events(self.path("run"), "resume")]
                self.assertEqual(resumed, [] if found is None else [found])
                self.assert_same_run(self.path("run"), unbroken)

    def test_a_threaded_run_goes_on_without_threads(self):
        unbroken = self.unbroken()
        config = self.traced()
        support.run(
            *("train", config, "--quiet", "--threads", 3),
            WAVETRAIN_FAULT="rank=0,at=step:13,kind=kill",
        )
        self.succeed("train", config, "--quiet", "--resume", "auto", "--threads", 1)
        self.assertEqual(len(support.events(self.path("run"), "resume")), 1)
        self.assert_same_run(self.path("run"), unbroken)

    def test_every_optimizer(self):
        for optimizer in (
            {"name": "sgd", "momentum": 0.9, "nesterov": True},
            {"name": "adamw"},
            {"name": "rmsprop", "momentum": 0.5},
            {"name": "adagrad"},
        ):
            with self.subTest(optimizer["name"]):
                schedule = {"kind": "cosine", "decay_steps": 30, "warmup_steps": 4}
                tables = {"optimizer": optimizer, "optimizer.schedule": schedule}
                unbroken = self.unbroken(**tables)
                config = self.traced(**tables)
                support.run(
                    *("train", config, "--quiet", "--overwrite"),
                    WAVETRAIN_FAULT="rank=0,at=step:11,kind=kill",
                )
                self.succeed("train", config, "--quiet", "--resume", "auto")
                self.assertEqual(len(support.events(self.path("run"), "resume")), 1)
                self.assert_same_run(self.path("run"), unbroken)

    def test_early_stopping_goes_on(self):
        """The state of early stopping is part of the checkpoint, also where it has decided."""
        train = {"epochs": 40, "early_stopping_patience": 2}
        optimizer = {"learning_rate": 0.5}
        unbroken = self.unbroken(train=train, optimizer=optimizer)
        epochs = len(support.events(unbroken, "epoch"))
        self.assertLess(epochs, 40)
        steps = len(support.events(unbroken, "step"))
        config = self.traced(train=train, optimizer=optimizer)
        for at in (f"step:{steps - 1}", "weights"):
            with self.subTest(at):
                support.run(
                    *("train", config, "--quiet", "--overwrite"),
                    WAVETRAIN_FAULT=f"rank=0,at={at},kind=kill",
                )
                self.succeed("train", config, "--quiet", "--resume", "auto")
                self.assertEqual(len(support.events(self.path("run"), "resume")), 1)
                self.assert_same_run(self.path("run"), unbroken)
        self.assertIn("finished", self.succeed("train", config, "--resume", "auto").stderr)

    def test_killed_in_validation_and_before_the_weights(self):
        unbroken = self.unbroken()
        config = self.traced()
        for at in ("validation:3", "weights"):
            for ranks in (0, 2):
                with self.subTest(at=at, ranks=ranks):
                    support.run(
                        *("train", config, "--quiet", "--overwrite"),
                        ranks=ranks,
                        WAVETRAIN_FAULT=f"rank=0,at={at},kind=kill",
                    )
                    self.succeed("train", config, "--quiet", "--resume", "auto")
                    self.assertEqual(len(support.events(self.path("run"), "resume")), 1)
                    self.assert_same_run(self.path("run"), unbroken)


class Stopped(runs.RunTest):
    LONG = {"train": {"epochs": 100000}}

    def stop(self, how, ranks, *options):
        """Starts a long run, lets `how` stop it in its middle; the epoch that it is in."""
        started = runs.Started(
            self, *("train", self.traced(**self.LONG), *options), ranks=ranks, log=self.path("log")
        )
        folder = self.path("run")
        before = runs.last_step(folder)
        runs.wait_until(lambda: runs.last_step(folder) > before + 3)
        how(started)
        code = started.wait()
        self.assertEqual(code, 75, started.text())
        self.assertIn("--resume auto", started.text())
        end = support.events(folder, "end")[-1]
        self.assertEqual((end["status"], end["exit_code"]), ("stopped", 75))
        self.assertEqual(max(runs.checkpoints(folder)), runs.last_step(folder))
        self.assert_readable(folder)
        return support.events(folder, "order")[-1]["epoch"]

    def go_on_and_compare(self, epoch):
        shorter = {"train": {"epochs": epoch + 1}}
        self.succeed("train", self.traced(**shorter), "--quiet", "--resume", "auto", ranks=3)
        self.assert_same_run(self.path("run"), self.unbroken(**shorter))

    def test_each_signal_on_any_one_rank(self):
        options = ()
        for number, rank, ranks in (
            (signal.SIGTERM, 1, 2),
            (signal.SIGINT, 2, 3),
            (signal.SIGUSR1, 0, 2),
            (signal.SIGTERM, None, 0),
        ):
            with self.subTest(number):
                epoch = self.stop(lambda s: s.send(number, rank), ranks, "--quiet", *options)
                options = ("--resume", "auto")
        self.go_on_and_compare(epoch)

    def test_usr1_to_mpirun(self):
        self.go_on_and_compare(self.stop(lambda s: s.send(signal.SIGUSR1), 2))

    def test_before_the_first_step(self):
        """A signal in a program's first moments: the checkpoint is of the initial state."""
        config = self.traced()
        started = runs.Started(
            self, *("train", config), log=self.path("log"), WAVETRAIN_FAULT="rank=0,at=step:1,kind=throw"
        )
        runs.wait_until(lambda: started.catches(signal.SIGUSR1))
        started.send(signal.SIGUSR1)
        self.assertEqual(started.wait(), 75, started.text())
        self.assertEqual(list(runs.checkpoints(self.path("run"))), [0])
        self.succeed("train", config, "--quiet", "--resume", "auto")
        self.assertEqual(support.events(self.path("run"), "resume")[0]["step"], 0)
        self.assert_same_run(self.path("run"), self.unbroken())

    def test_usr2_is_told_and_changes_nothing(self):
        def tell(started):
            started.send(signal.SIGUSR2, 1)
            runs.wait_until(lambda: "USR2" in started.text())
            started.send(signal.SIGUSR1, 1)

        self.go_on_and_compare(self.stop(tell, 2))

    def test_a_second_int_ends_at_once(self):
        config = self.traced(comm={"timeout_seconds": 0})
        started = runs.Started(self, *("train", config), WAVETRAIN_FAULT="rank=0,at=step:5,kind=hang")
        runs.wait_until(lambda: runs.last_step(self.path("run")) == 4)
        self.assertTrue(started.catches(signal.SIGINT))
        started.send(signal.SIGINT)
        started.send(signal.SIGCONT)
        runs.wait_until(lambda: not started.catches(signal.SIGINT))
        self.assertIsNone(started.process.poll())
        started.send(signal.SIGINT)
        self.assertEqual(started.wait(), -signal.SIGINT)

    def test_json_says_stopped(self):
        epoch = self.stop(lambda s: s.send(signal.SIGUSR1), 0, "--json", "--quiet")
        self.assertGreater(epoch, 0)
        with open(self.path("log")) as file:
            self.assertIn('"kind":"stopped"', file.read())


class Rules(runs.RunTest):
    """--resume, --overwrite, changed keys, damaged files."""

    def interrupted(self, step=14, **changes):
        config = self.traced(**changes)
        done = support.run(
            *("train", config, "--quiet", "--overwrite"),
            WAVETRAIN_FAULT=f"rank=0,at=step:{step},kind=kill",
        )
        self.assertIn(done.returncode, KILLED)
        return config

    def test_a_folder_with_a_run_is_refused(self):
        config = self.interrupted()
        self.refuse(2, "train", config, says=("--overwrite", "--resume"))
        self.refuse(2, "train", config, "--resume", "auto", "--overwrite", says="--overwrite")
        self.refuse(2, "train", config, "--resume", "never", says="already holds a run")

    def test_overwrite_removes_checkpoints_and_nothing_else(self):
        config = self.interrupted()
        self.write("run/checkpoints/mine.txt", "mine")
        self.write("run/checkpoints/step-0000000099.h5.tmp", "left over")
        self.succeed("train", config, "--quiet", "--overwrite")
        names = os.listdir(self.path("run", "checkpoints"))
        self.assertIn("mine.txt", names)
        self.assertNotIn("step-0000000099.h5.tmp", names)
        self.assert_same_run(self.path("run"), self.unbroken())

    def test_checkpoints_on_another_disk(self):
        """`checkpoints` may be a link: it stays, also where it is empty or the run is removed."""
        os.makedirs(self.path("disk"))
        os.makedirs(self.path("run"))
        os.symlink("../disk", self.path("run", "checkpoints"))
        config = self.traced()
        for option in (("--resume", "auto"), ("--overwrite",)):
            self.succeed("train", config, "--quiet", *option)
            self.assertTrue(os.path.islink(self.path("run", "checkpoints")))
            self.assertEqual(len(os.listdir(self.path("disk"))), 3)
        self.assert_same_run(self.path("run"), self.unbroken())

    def test_checkpoints_out_of_reach(self):
        """On a disk that is not there: the run must not start afresh, which would remove it."""
        config = self.interrupted()
        os.rename(self.path("run", "checkpoints"), self.path("disk"))
        before = support.read_bytes(self.path("run", "metrics.jsonl"))
        for target in (self.path("unmounted"), self.path("run", "checkpoints")):
            os.symlink(target, self.path("run", "checkpoints"))
            self.refuse(3, "train", config, "--resume", "auto", says="run/checkpoints")
            self.assertEqual(support.read_bytes(self.path("run", "metrics.jsonl")), before)
            os.remove(self.path("run", "checkpoints"))
        os.symlink("../disk", self.path("run", "checkpoints"))
        os.symlink("loop", self.path("disk", "loop"))
        done = self.succeed("train", config, "--resume", "auto")
        self.assertIn("/loop'", done.stderr)
        self.assertEqual(len(support.events(self.path("run"), "resume")), 1)
        self.assert_same_run(self.path("run"), self.unbroken())

    def test_changed_keys_are_refused_by_name(self):
        config = self.interrupted()
        before = sorted(os.listdir(self.path("run", "checkpoints")))
        for key, value in (
            ("optimizer.learning_rate", 0.5),
            ("train.batch_size", 4),
            ("train.seed", 5),
            ("data.seed", 5),
            ("model.qubits", 5),
            ("engine.micro_batch", 2),
            ("gradient.method", "parameter_shift"),
        ):
            self.refuse(
                2, "train", config, "--resume", "auto", "--set", f"{key}={value}", says=key
            )
        self.assertEqual(sorted(os.listdir(self.path("run", "checkpoints"))), before)
        allowed = ("train.epochs=7", "checkpoint.keep=1", "comm.timeout_seconds=100")
        sets = [word for key in allowed for word in ("--set", key)]
        self.succeed("train", config, "--quiet", "--resume", "auto", *sets, "--threads", 2)
        self.assertEqual(len(support.events(self.path("run"), "epoch")), 7)

    def test_other_data_are_refused(self):
        samples = {"excited_qubit": [0, 3, 1, 2] * 3, "angle": [0.1, 2.5, 1.0, 3.0] * 3}
        samples["label"] = [1.0, -1.0, 1.0, -1.0] * 3
        support.write_csv(self.path("data.csv"), samples)
        config = self.config(
            model={"kind": "qcnn_hybrid", "qubits": 4},
            data={"source": "csv", "file": "data.csv"},
            train={"epochs": 4, "batch_size": 3},
            checkpoint={"every_steps": 1},
            output={"folder": self.path("run")},
        )
        support.run(
            *("train", config, "--quiet"), WAVETRAIN_FAULT="rank=0,at=step:6,kind=kill"
        )
        samples["angle"][5] = 2.75
        support.write_csv(self.path("data.csv"), samples)
        self.refuse(2, "train", config, "--resume", "auto", says="data")

    def test_resuming_from_another_working_folder(self):
        """Relative paths of the config mean the same files from wherever a run is started."""
        config = self.interrupted()
        os.mkdir(self.path("elsewhere"))
        self.succeed(
            *("train", "../config.toml", "--quiet", "--resume", "auto"),
            folder=self.path("elsewhere"),
        )
        self.assert_same_run(self.path("run"), self.unbroken())
        self.assertTrue(config)

    def test_a_finished_run_is_finished(self):
        config = self.traced()
        self.succeed("train", config, "--quiet", "--resume", "auto")
        before = {n: support.read_bytes(self.path("run", n)) for n in ("weights.h5", "metrics.jsonl")}
        done = self.succeed("train", config, "--resume", "auto", "--json", ranks=2)
        self.assertIn("finished", done.stderr)
        self.assertIn('"epochs":6', done.stdout)
        for name, content in before.items():
            self.assertEqual(support.read_bytes(self.path("run", name)), content)
        shutil.rmtree(self.path("run", "checkpoints"))
        self.assertIn("finished", self.succeed("train", config, "--resume", "auto").stderr)
        more = ("--set", "train.epochs=7")
        self.refuse(2, "train", config, "--resume", "auto", *more, says=("7", "no checkpoint"))
        self.assertEqual(support.read_bytes(self.path("run", "weights.h5")), before["weights.h5"])

    def test_a_finished_run_can_be_prolonged(self):
        self.succeed("train", self.traced(train={"epochs": 3}), "--quiet")
        self.succeed("train", self.traced(), "--quiet", "--resume", "auto")
        self.assert_same_run(self.path("run"), self.unbroken())
        self.refuse(
            2, "train", self.traced(train={"epochs": 2}), "--resume", "auto", says="train.epochs"
        )

    def test_auto_without_a_checkpoint_starts_afresh(self):
        done = self.succeed("train", self.traced(), "--resume", "auto")
        self.assertIn("afresh", done.stderr)
        config = self.interrupted(step=1)
        self.succeed("train", config, "--resume", "auto", "--quiet")
        self.assert_same_run(self.path("run"), self.unbroken())

    def test_damaged_checkpoints_are_passed_over(self):
        """The newest is cut, the one before has a flipped bit: the third is used, both are named."""
        config = self.interrupted(checkpoint={"every_steps": 1})
        found = runs.checkpoints(self.path("run"))
        newest, second, third = sorted(found, reverse=True)
        os.truncate(found[newest], os.path.getsize(found[newest]) // 2)
        content = bytearray(support.read_bytes(found[second]))
        content[len(content) // 3] ^= 4
        with open(found[second], "wb") as file:
            file.write(content)
        done = self.succeed("train", config, "--resume", "auto", ranks=2)
        for step in (newest, second):
            self.assertIn(os.path.basename(found[step]), done.stderr)
        self.assertEqual([r["step"] for r in support.events(self.path("run"), "resume")], [third])
        self.assert_same_run(self.path("run"), self.unbroken())

    def test_every_flipped_byte_is_found(self):
        config = self.interrupted(checkpoint={"every_steps": 1, "keep": 1})
        ((_, path),) = runs.checkpoints(self.path("run")).items()
        whole = support.read_bytes(path)
        dice = np.random.default_rng(3)
        for place in [0, len(whole) - 1, *dice.integers(0, len(whole), 12)]:
            content = bytearray(whole)
            content[place] ^= 1 << int(dice.integers(0, 8))
            with open(path, "wb") as file:
                file.write(content)
            self.refuse(3, "train", config, "--resume", path, says=os.path.basename(path))

    def test_found_by_content_not_by_name(self):
        config = self.interrupted(checkpoint={"every_steps": 1})
        found = runs.checkpoints(self.path("run"))
        newest, oldest = max(found), min(found)
        os.rename(found[newest], self.path("run", "checkpoints", "precious"))
        os.rename(found[oldest], self.path("run", "checkpoints", "step-0000000999.h5"))
        self.succeed("train", config, "--resume", "auto", "--quiet")
        self.assertEqual([r["step"] for r in support.events(self.path("run"), "resume")], [newest])
        self.assert_same_run(self.path("run"), self.unbroken())

    def test_what_is_no_checkpoint_is_passed_over(self):
        """Pipes, devices and huge files are not even read; each is named, the rest is used."""
        config = self.interrupted()
        inside = lambda name: self.path("run", "checkpoints", name)
        os.mkfifo(inside("pipe"))
        os.symlink("/dev/zero", inside("endless"))
        os.symlink(self.path("nowhere"), inside("dangling"))
        os.mkdir(inside("step-0000000098.h5"))
        self.write("run/checkpoints/empty", "")
        self.write("run/checkpoints/.hidden", "no checkpoint")
        self.write("run/checkpoints/huge", "")
        os.truncate(inside("huge"), 1 << 40)
        for name in ("pipe", "endless", "huge"):
            self.refuse(3, "train", config, "--resume", inside(name), says="is no checkpoint")
        done = self.succeed("train", config, "--resume", "auto")
        for name in ("pipe", "endless", "dangling", "empty", ".hidden", "huge"):
            self.assertIn(f"/{name}'", done.stderr)
        self.assert_same_run(self.path("run"), self.unbroken())

    def test_a_checkpoint_under_a_later_name_stays(self):
        """Also if it is the only one, and the resumed run is killed before it writes another."""
        config = self.interrupted()
        found = runs.checkpoints(self.path("run"))
        step = min(found)
        for other in set(found) - {step}:
            os.remove(found[other])
        os.rename(found[step], self.path("run", "checkpoints", "step-0000000999.h5"))
        done = support.run(
            *("train", config, "--quiet", "--resume", "auto"),
            WAVETRAIN_FAULT=f"rank=0,at=step:{step + 1},kind=kill",
        )
        self.assertIn(done.returncode, KILLED)
        self.assertEqual(list(runs.checkpoints(self.path("run"))), [step])
        self.succeed("train", config, "--quiet", "--resume", "auto")
        self.assertEqual([r["step"] for r in support.events(self.path("run"), "resume")], [step])
        self.assertNotIn("step-0000000999.h5", os.listdir(self.path("run", "checkpoints")))
        self.assert_same_run(self.path("run"), self.unbroken())

    def test_the_folder_of_checkpoints_by_any_path(self):
        config = self.interrupted()
        for path in (".", "./", "../checkpoints/.", ".."):
            with self.subTest(path):
                done = support.run(
                    *("train", config, "--quiet", "--resume", path),
                    folder=self.path("run", "checkpoints"),
                    WAVETRAIN_FAULT="rank=0,at=step:14,kind=kill",
                )
                self.assertIn(done.returncode, KILLED, done.stderr)
        self.succeed("train", config, "--quiet", "--resume", self.path("run", "checkpoints/"))
        self.assert_same_run(self.path("run"), self.unbroken())

    def test_a_checkpoint_by_its_path(self):
        config = self.interrupted(checkpoint={"every_steps": 1})
        found = runs.checkpoints(self.path("run"))
        oldest = min(found)
        self.succeed("train", config, "--resume", found[oldest], "--quiet")
        self.assertEqual([r["step"] for r in support.events(self.path("run"), "resume")], [oldest])
        self.assert_same_run(self.path("run"), self.unbroken())
        self.refuse(3, "train", config, "--resume", self.path("none"), says="none")
        self.refuse(3, "train", config, "--resume", self.path("run", "weights.h5"))

    def test_into_another_folder(self):
        """The metrics up to the checkpoint come along; a folder with another run is refused."""
        config = self.interrupted()
        other = ("--set", f"output.folder={self.path('other')}")
        self.succeed("train", config, "--resume", self.path("run"), "--quiet", *other)
        self.assert_same_run(self.path("other"), self.unbroken())
        self.refuse(2, "train", config, "--resume", self.path("run"), *other, says="another run")

    def test_keep_and_the_last(self):
        """B109 as well: every step of every epoch is one point, in order."""
        config = self.traced(checkpoint={"every_steps": 1, "keep": 2})
        self.succeed("train", config, "--quiet")
        steps = [record["step"] for record in support.events(self.path("run"), "step")]
        self.assertEqual(steps, list(range(1, len(steps) + 1)))
        names = sorted(os.listdir(self.path("run", "checkpoints")))
        self.assertEqual(names, [f"step-{s:010}.h5" for s in (steps[-1] - 1, steps[-1])])

    def test_twenty_steps_three_epochs_sixty_points(self):
        """B109."""
        config = self.traced(
            train={"epochs": 3, "batch_size": 1}, data={"rounds": 6, "train_count": 20}
        )
        support.run(
            *("train", config, "--quiet"), WAVETRAIN_FAULT="rank=0,at=step:33,kind=kill"
        )
        self.succeed("train", config, "--quiet", "--resume", "auto")
        steps = [record["step"] for record in support.events(self.path("run"), "step")]
        self.assertEqual(steps, list(range(1, 61)))

    def test_by_time(self):
        """every_seconds alone makes checkpoints, and their number is bounded by the clock."""
        config = self.traced(
            train={"epochs": 400}, checkpoint={"every_steps": 0, "every_seconds": 0.05, "keep": 50}
        )
        self.succeed("train", config, "--quiet", ranks=2)
        found = runs.checkpoints(self.path("run"))
        seconds = sum(record["seconds"] for record in support.events(self.path("run"), "epoch"))
        self.assertGreater(len(found), 1)
        self.assertLessEqual(len(found), 2 + (seconds + 10) / 0.05)

    def test_one_training_per_folder(self):
        config = self.traced(comm={"timeout_seconds": 0})
        started = runs.Started(self, "train", config, WAVETRAIN_FAULT="rank=0,at=step:4,kind=hang")
        runs.wait_until(lambda: runs.last_step(self.path("run")) == 3)
        for option in ("--overwrite", "--resume=auto"):
            self.refuse(2, "train", config, option, says="in use")
        started.kill_all()
        self.succeed("train", config, "--resume", "auto", "--quiet")
        self.assert_same_run(self.path("run"), self.unbroken())


    def test_what_another_training_writes_before_it_leaves(self):
        """The look for a checkpoint comes after the other has gone."""
        config = self.traced()
        earlier = self.traced("earlier", name="earlier.toml")
        self.succeed("train", earlier, "--quiet", "--set", "train.epochs=1")
        os.makedirs(self.path("run"))
        folder = os.open(self.path("run"), os.O_RDONLY)
        self.addCleanup(os.close, folder)
        fcntl.flock(folder, fcntl.LOCK_EX)
        started = runs.Started(self, "train", config, "--resume", "auto")
        runs.wait_until(lambda: started.has_open(self.path("run")))
        shutil.copytree(self.path("earlier"), self.path("run"), dirs_exist_ok=True)
        fcntl.flock(folder, fcntl.LOCK_UN)
        self.assertEqual(started.wait(), 0, started.text())
        self.assertEqual(len(support.events(self.path("run"), "resume")), 1)
        self.assert_same_run(self.path("run"), self.unbroken())


class AdamInKerasForm(support.AppTest):
    """B100: six gradients in a row, the sixth after a resume.

    One weight w, loss (x·w): the gradient of a linear net's only output is x. A batch of one
    sample without shuffling makes each sample's x a step's gradient.
    """

    GRADIENTS = (1.0, -0.5, 0.25, 0.8, -0.3, 0.6)

    def test_moments_and_step_count_are_restored(self):
        lines = [f"{x!r},{100.0!r}" for x in self.GRADIENTS]
        self.write("data.csv", "x,label\n" + "\n".join(lines) + "\n")
        self.write(
            "config.toml",
            f"""
[data]
source = "csv"
file = "data.csv"
train_count = 6
[[model.layers]]
type = "dense"
name = "w"
units = 1
initializer = "zeros"
[train]
epochs = 1
batch_size = 1
shuffle = false
loss = "mae"
[optimizer]
learning_rate = 0.1
[checkpoint]
every_steps = 1
keep = 9
[output]
folder = "{self.path('run')}"
""",
        )
        config = self.path("config.toml")
        done = support.run(
            *("train", config, "--quiet"), WAVETRAIN_FAULT="rank=0,at=step:6,kind=kill"
        )
        self.assertIn(done.returncode, KILLED, done.stderr)
        # Five steps are done; that of the last may not be on disk yet.
        self.succeed("train", config, "--quiet", "--resume", "auto")
        with h5py.File(self.path("run", "weights.h5"), "r") as file:
            names, values = support.own_layer(file, "w")
        # |100 - (x w + b)| falls with growing w: the gradient of the loss is -x.
        kernel = dict(zip(names, values))[names[0]]
        self.assertAlmostEqual(kernel, 0.2997660935, delta=5e-10)


if __name__ == "__main__":
    unittest.main()
