"""The batch scripts under a real Slurm of two nodes: finish, stop in every way, go on.

Skipped (77) where Slurm is not installed or may not be started.
"""

import glob
import json
import os
import re
import signal
import sys
import unittest

import cluster
from cluster import wait_until

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "tests", "app"))
import support  # noqa: E402

SCRIPTS = os.path.join(ROOT, "scripts", "slurm")


def ranks_of(config):
    """The processes of the program that train this config."""
    found = []
    for folder in glob.glob("/proc/[0-9]*"):
        try:
            name = support.read_bytes(folder + "/comm")
            words = support.read_bytes(folder + "/cmdline").split(b"\0")
        except OSError:
            continue
        if name == b"wavetrain\n" and config.encode() in words:
            found.append(int(os.path.basename(folder)))
    return sorted(found)


class Slurm(support.AppTest):
    @classmethod
    def setUpClass(cls):
        cls.slurm = cluster.Cluster()
        cls.addClassCleanup(cls.slurm.stop)
        cls.slurm.start()

    def setUp(self):
        super().setUp()
        # What stands where sbatch is called: the programs, as after `make build`.
        os.makedirs(self.path("build", "release"))
        os.symlink(support.PROGRAM, self.path("build", "release", "wavetrain"))
        os.symlink(os.path.join(ROOT, "scripts"), self.path("scripts"))
        self.jobs = []

    def tearDown(self):
        for job in self.jobs:
            self.slurm.run("scancel", "--quiet", job, check=False)
            self.slurm.wait_for_state(job, "COMPLETED", "CANCELLED", "FAILED", "TIMEOUT")
        wait_until(lambda: self.slurm.node_states() == {"idle"}, "nodes are idle again")

    def submit(self, script, *arguments, options=(), **variables):
        job = self.slurm.submit(
            "--output=%x-%j.log", *options, f"scripts/slurm/{script}", *arguments,
            folder=self.folder, **variables,
        )  # fmt: skip
        self.jobs.append(job)
        return job

    def train(self, config, *options, **variables):
        """Two ranks, each on a node of its own."""
        return self.submit("train.sbatch", config, options=("-N2", "-n2", *options), **variables)

    def train_slowly(self, config, *options):
        """However fast the machine, the training lasts for long enough to be struck."""
        return self.train(config, *options, WAVETRAIN_FAULT=support.SLOW)

    def log(self, job):
        paths = glob.glob(self.path(f"*-{job}.log"))
        return "".join(support.read_bytes(path).decode() for path in paths)

    def training(self, output="run", epochs=60, **changes):
        return self.small(
            output,
            name=output + ".toml",
            model={"qubits": 10},
            train={"epochs": epochs, "batch_size": 7},
            checkpoint={"every_steps": 10, **changes},
        )

    def wait_for(self, pattern, job):
        wait_until(lambda: glob.glob(self.path(pattern)) or self.ended(job), pattern)
        self.assertFalse(self.ended(job), self.log(job))

    def ended(self, job):
        return self.slurm.job(job)["JobState"] in ("COMPLETED", "FAILED", "CANCELLED", "TIMEOUT")

    def newest_step(self):
        names = os.listdir(self.path("run", "checkpoints"))
        return max(int(re.search(r"\d+", name).group()) for name in names)

    def wait_for_epoch(self, job):
        wait_until(
            lambda: glob.glob(self.path("run", "metrics.jsonl"))
            and support.events(self.path("run"), "epoch")
            or self.ended(job),
            "an epoch",
        )
        self.assertFalse(self.ended(job), self.log(job))

    def check_completed(self, job, output="run", epochs=60):
        state = self.slurm.wait_for_state(
            job, "COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", seconds=180
        )
        self.assertEqual(state["JobState"], "COMPLETED", self.log(job))
        self.assertTrue(os.path.exists(self.path(output, "weights.h5")), self.log(job))
        self.assertEqual(
            support.read_bytes(self.path(output, "weights.h5")), self.whole(epochs)
        )

    def whole(self, epochs, known={}):  # noqa: B006 (computed once)
        """The weights of an unbroken run under mpirun."""
        if epochs not in known:
            config = self.training("whole", epochs)
            self.succeed(
                "train", config, "--quiet", ranks=2, timeout=600, OMPI_MCA_mpi_yield_when_idle="1"
            )
            known[epochs] = support.read_bytes(self.path("whole", "weights.h5"))
        return known[epochs]

    def test_finishes_and_evaluates(self):
        job = self.train(self.training(epochs=5))
        after = self.submit(
            "evaluate.sbatch",
            "run/weights.h5",
            options=("-n2", f"--dependency=afterok:{job}"),
        )
        self.check_completed(job, epochs=5)
        self.assertEqual(self.slurm.wait_for_state(after, "COMPLETED", "FAILED")["ExitCode"], "0:0")
        scores = json.loads(re.search(r"^{.*}$", self.log(after), re.M).group())
        last = support.events(self.path("run"), "epoch")[-1]
        self.assertEqual(scores["loss"], last["val_loss"])

    def test_array(self):
        configs = [self.training(f"run{k}", epochs=3) for k in (1, 2)]
        job = self.submit("array.sbatch", *configs, options=("--array=1-2", "-n1"))
        for k in (1, 2):
            wait_until(
                lambda k=k: os.path.exists(self.path(f"run{k}", "weights.h5")), f"run{k}", 90
            )
        self.assertEqual(
            support.read_bytes(self.path("run1", "weights.h5")),
            support.read_bytes(self.path("run2", "weights.h5")),
        )
        wait_until(lambda: not self.slurm.run("squeue", "-h", "-j", job, check=False).strip(), job)
        self.jobs.remove(job)

    def test_array_without_such_a_config(self):
        for number in (2, 0):
            with self.subTest(number):
                job = self.submit("array.sbatch", "one.toml", options=(f"--array={number}", "-n1"))
                state = self.slurm.wait_for_state(job, "FAILED", "COMPLETED")
                self.assertEqual(state["ExitCode"], "2:0", self.log(job))
                self.assertIn(f"no config number {number}", self.log(job))

    def test_cancelled(self):
        """The ranks write a checkpoint; the job stays cancelled."""
        job = self.train_slowly(self.training(every_steps=0))
        self.wait_for_epoch(job)
        self.slurm.run("scancel", job)
        self.slurm.wait_for_state(job, "CANCELLED")
        wait_until(lambda: self.slurm.node_states() == {"idle"}, "nodes are idle")
        self.assertEqual(self.slurm.job(job)["JobState"], "CANCELLED")
        self.assertEqual(self.slurm.job(job)["Restarts"], "0")
        self.assertGreater(self.newest_step(), 0)
        self.check_completed(self.train(self.path("run.toml")))

    def test_time_limit(self):
        """USR1 comes before the limit: a checkpoint, and the job waits in the queue again."""
        config = self.training(epochs=100000, every_steps=0)
        job = self.train_slowly(config, "--time=1", "--signal=B:USR1@55")
        self.slurm.wait_for_state(job, "PENDING", "RUNNING")
        wait_until(lambda: self.slurm.job(job)["Restarts"] == "1", "requeued", 120)
        self.slurm.wait_for_state(job, "PENDING")
        step = self.newest_step()
        self.assertGreater(step, 0)
        self.assertNotIn("TIME LIMIT", self.log(job))
        wait_until(lambda: '"resume"' in self.metrics(), "resumed", 60)
        (resumed,) = support.events(self.path("run"), "resume")
        self.assertEqual(resumed["step"], step)

    def metrics(self):
        return support.read_bytes(self.path("run", "metrics.jsonl")).decode()

    def test_preempted_and_requeued(self):
        job = self.train_slowly(self.training(every_steps=0))
        self.wait_for_epoch(job)
        urgent = self.slurm.submit(
            "-p", "high", "-N2", "-n2", "--exclusive", "--wrap", "true", "--output=urgent.log",
            folder=self.folder,
        )  # fmt: skip
        self.jobs.append(urgent)
        self.slurm.wait_for_state(urgent, "COMPLETED")
        self.assertEqual(self.slurm.job(job)["Restarts"], "1", self.log(job))
        self.assertGreater(self.newest_step(), 0)
        self.check_completed(job)
        self.assertEqual(len(support.events(self.path("run"), "resume")), 1)

    def test_killed_rank(self):
        """srun ends the others, and the run goes on inside the allocation."""
        config = self.training()
        job = self.train_slowly(config)
        self.wait_for("run/checkpoints/*.h5", job)
        os.kill(ranks_of(config)[-1], signal.SIGKILL)
        self.check_completed(job)
        self.assertEqual(self.slurm.job(job)["Restarts"], "0")
        self.assertIn("running again with --resume auto", self.log(job))

    def test_doctor(self):
        """What doctor says of a good launch."""
        text = self.slurm.run(
            "srun", "--mpi=pmix", "-N2", "-n2", support.PROGRAM, "doctor", "--threads", 1, "--json",
            folder=self.folder,
        )  # fmt: skip
        result = json.loads(re.search(r"^{.*}$", text, re.M).group())
        self.assertTrue(result["good"], text)
        self.assertIn("srun --mpi=pmix", text)

    def test_mpirun_inside_an_allocation(self):
        self.write(
            "job.sh",
            "#!/bin/bash\n"
            f"{ROOT}/scripts/wavetrain-run -- mpirun -n 2 {support.PROGRAM} train"
            f" {self.training(epochs=5)}\n",
        )
        job = self.slurm.submit(
            "-n2", "job.sh", folder=self.folder,
            OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
        )  # fmt: skip
        self.jobs.append(job)
        self.check_completed(job, epochs=5)


if __name__ == "__main__":
    reason = cluster.missing()
    if reason:
        print("skipped:", reason)
        sys.exit(77)
    unittest.main()
