"""Disks that are full, read-only or gone: clear errors, training that goes on, good files kept."""

import fcntl
import os
import shutil
import signal
import subprocess
import unittest

import runs
import support


class DiskTest(runs.RunTest):
    def mount(self, name, *arguments):
        """Mounts on a new folder of this name; skips the test where that is not allowed."""
        folder = self.path(name)
        os.makedirs(folder, exist_ok=True)
        done = subprocess.run(["mount", *arguments, folder], capture_output=True, text=True)
        if done.returncode != 0:
            self.skipTest(f"mounting is not allowed here: {done.stderr.strip()}")
        self.addCleanup(subprocess.run, ["umount", "-l", folder], capture_output=True)
        return folder

    def small_disk(self, name, kilobytes):
        return self.mount(name, "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs")

    def fill(self, folder):
        """Leaves no byte; the name of the file that takes them."""
        path = os.path.join(folder, "filler")
        with open(path, "wb", buffering=0) as file:
            try:
                while True:
                    file.write(b"\0" * 4096)
            except OSError:
                return path

    def good_files(self, folder):
        self.assert_readable(folder)
        return {step: support.read_bytes(path) for step, path in runs.checkpoints(folder).items()}


class FullDisk(DiskTest):
    LONG = {"train": {"epochs": 10**6}, "checkpoint": {"every_steps": 1}}

    def test_training_goes_on_until_there_is_room(self):
        self.small_disk("run", 4096)
        folder = self.path("run")
        started = runs.Started(self, "train", self.traced(**self.LONG), log=self.path("log"))
        runs.wait_until(lambda: len(runs.checkpoints(folder)) > 1)
        filler = self.fill(folder)
        runs.wait_until(lambda: "No space left on device" in started.text())
        self.assertIsNone(started.process.poll())
        full = self.good_files(folder)
        self.assertGreater(len(full), 0)
        os.remove(filler)
        runs.wait_until(lambda: max(runs.checkpoints(folder)) > max(full) + 5)
        started.send(signal.SIGUSR1)
        self.assertEqual(started.wait(), 75, started.text())
        epochs = support.events(folder, "order")[-1]["epoch"] + 1
        # Not on the small disk: these metrics are long.
        short = {"train": {"epochs": epochs}}
        to = ("--set", f"output.folder={self.path('roomy')}")
        self.succeed("train", self.traced(**short), "--quiet", "--resume", folder, *to)
        self.assert_same_run(self.path("roomy"), self.unbroken(**short))

    def test_a_limit_on_the_size_of_files(self):
        """What exceeds it is an error like a full disk, and no signal that ends the program."""
        command = (support.PROGRAM, "train", self.traced())
        done = subprocess.run(
            ["bash", "-c", 'ulimit -f 8; exec "$@"', "-", *command],
            capture_output=True,
            text=True,
            timeout=60,
            env=support.environment(**support.ALONE),
        )
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("File too large", done.stderr)
        self.assertIn("training goes on", done.stderr)
        self.succeed("train", self.traced(), "--resume", "auto", "--quiet")
        self.assert_same_run(self.path("run"), self.unbroken())

    def test_no_room_for_the_last_files(self):
        """Exit code 3, with what was good before still there; with room again the run ends well."""
        for at in ("weights", "checkpoint"):
            with self.subTest(at):
                folder = self.small_disk(f"run-{at}", 1024)
                config = self.traced(f"run-{at}", checkpoint={"every_steps": 3})
                support.run(
                    *("train", config, "--quiet"), WAVETRAIN_FAULT="rank=0,at=weights,kind=kill"
                )
                if at == "checkpoint":
                    newest = max(runs.checkpoints(folder))
                    os.remove(runs.checkpoints(folder)[newest])
                before = self.good_files(folder)
                filler = self.fill(folder)
                self.refuse(3, "train", config, "--resume", "auto", says="No space left on device")
                self.assertLessEqual(before.items(), self.good_files(folder).items())
                self.assertFalse(os.path.exists(os.path.join(folder, "weights.h5")))
                os.remove(filler)
                self.succeed("train", config, "--resume", "auto", "--quiet")
                self.assert_same_run(folder, self.unbroken())


class FoldersThatRefuse(DiskTest):
    def test_a_read_only_folder(self):
        """Root may write into any folder, but not into a read-only mount."""
        self.mount("run", "-t", "tmpfs", "-o", "ro", "tmpfs")
        self.refuse(3, "train", self.traced(), says=("Read-only file system", self.path("run")))
        self.refuse(3, "train", self.traced("run/inner"), says="Read-only file system")

    def test_a_later_checkpoint_that_cannot_be_removed(self):
        """Going back to an earlier one then fails before the metrics are cut: both fit the later."""
        config = self.traced()
        support.run(*("train", config, "--quiet"), WAVETRAIN_FAULT="rank=0,at=step:14,kind=kill")
        oldest = min(runs.checkpoints(self.path("run")).items())[1]
        stuck = self.mount("run/checkpoints/step-0000000099.h5", "-t", "tmpfs", "tmpfs")
        before = support.read_bytes(self.path("run", "metrics.jsonl"))
        self.refuse(3, "train", config, "--resume", oldest, says="cannot remove")
        self.assertEqual(support.read_bytes(self.path("run", "metrics.jsonl")), before)
        subprocess.run(["umount", stuck], check=True)
        self.succeed("train", config, "--quiet", "--resume", "auto")
        self.assert_same_run(self.path("run"), self.unbroken())

    def test_a_folder_below_a_file(self):
        self.write("file", "")
        self.refuse(3, "train", self.traced("file/run"), says=("Not a directory", "file/run"))

    def test_permission_denied(self):
        if os.geteuid() == 0:
            self.skipTest("root may write everywhere")
        os.mkdir(self.path("run"), 0o500)
        self.refuse(3, "train", self.traced(), says=("Permission denied", self.path("run")))

    def test_checkpoints_that_cannot_be_written(self):
        """A file where their folder should be: training goes on, the last write decides."""
        os.mkdir(self.path("run"))
        self.write("run/checkpoints", "")
        config = self.traced()
        done = self.refuse(3, "train", config, "--resume", "auto", says="run/checkpoints")
        self.assertIn("training goes on", done.stderr)
        self.assertTrue(os.path.exists(self.path("run", "weights.h5")))
        os.remove(self.path("run", "checkpoints"))
        self.succeed("train", config, "--resume", "auto", "--quiet")

    def test_one_checkpoint_fails(self):
        """It is said, the next one is tried, the run ends well."""
        done = self.succeed(
            *("train", self.traced(checkpoint={"every_steps": 2, "keep": 99})),
            ranks=2,
            WAVETRAIN_FAULT="rank=0,at=checkpoint:4,kind=missing",
        )
        self.assertIn("the checkpoint of step 4 could not be written", done.stderr)
        found = runs.checkpoints(self.path("run"))
        self.assertNotIn(4, found)
        self.assertLessEqual({2, 6, 8}, set(found))
        self.assert_same_run(self.path("run"), self.unbroken())

    def test_the_last_checkpoint_or_the_weights_fail(self):
        config = self.traced(checkpoint={"every_steps": 3})
        steps = len(support.events(self.unbroken(), "step"))
        for at, missing in ((f"checkpoint:{steps}", False), ("weights", True)):
            with self.subTest(at):
                self.refuse(
                    *(3, "train", config, "--overwrite"),
                    ranks=2,
                    says="No such file",
                    WAVETRAIN_FAULT=f"rank=0,at={at},kind=missing",
                )
                self.assertEqual(not os.path.exists(self.path("run", "weights.h5")), missing)
                self.succeed("train", config, "--resume", "auto", "--quiet")
                self.assert_same_run(self.path("run"), self.unbroken())

    def test_a_folder_that_vanishes(self):
        """The run notices, says it, keeps training, and ends with 3."""
        config = self.traced(train={"epochs": 10**6}, checkpoint={"every_steps": 1})
        started = runs.Started(self, "train", config, log=self.path("log"))
        runs.wait_until(lambda: runs.last_step(self.path("run")) > 3)
        os.rename(self.path("run"), self.path("moved"))
        runs.wait_until(lambda: "could not be written" in started.text())
        shutil.copytree(self.path("moved"), self.path("kept"))
        started.send(signal.SIGUSR1)
        self.assertEqual(started.wait(), 3, started.text())
        self.assertFalse(os.path.exists(self.path("run", "weights.h5")))
        self.assert_readable(self.path("kept"))
        self.assertGreater(len(runs.checkpoints(self.path("kept"))), 0)

    def test_hdf5_locks_that_are_refused(self):
        """B103: training takes no such lock; reading a locked file names it and what helps."""
        self.succeed("train", self.traced(), "--quiet")
        weights = self.path("run", "weights.h5")
        oldest = min(runs.checkpoints(self.path("run")).items())[1]
        with open(oldest, "rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            self.succeed(
                *("train", self.traced(), "--resume", oldest, "--quiet"),
                HDF5_USE_FILE_LOCKING="TRUE",
            )
        with open(weights, "rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            self.refuse(
                *(3, "evaluate", weights),
                says=("weights.h5", "HDF5_USE_FILE_LOCKING"),
                HDF5_USE_FILE_LOCKING="TRUE",
            )


if __name__ == "__main__":
    unittest.main()
