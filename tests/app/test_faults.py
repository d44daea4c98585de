"""B97: one failing rank ends the whole job, soon, with its message and exit code."""

import json
import os
import signal
import subprocess
import time
import unittest

import runs
import support

SECONDS = 10


class Faults(support.AppTest):
    def end(self, at, kind, code, *says, ranks=4, rank=2):
        began = time.monotonic()
        done = self.refuse(
            code,
            "train",
            self.small(train={"epochs": 3, "batch_size": 4}),
            "--overwrite",
            ranks=ranks,
            says=says,
            timeout=60,
            WAVETRAIN_FAULT=f"rank={rank},at={at},kind={kind}",
        )
        self.assertLess(time.monotonic() - began, SECONDS)
        self.assertIn(f"rank {rank}", done.stderr)
        self.assertFalse(os.path.exists(self.path("run", "weights.h5")))

    def test_throw_while_reading_data(self):
        self.end("data", "throw", 70)

    def test_throw_in_a_step(self):
        self.end("step:3", "throw", 70)

    def test_out_of_memory_while_reading_data(self):
        self.end("data", "bad_alloc", 3, "memory")

    def test_out_of_memory_in_a_step(self):
        self.end("step:3", "bad_alloc", 3, "memory")

    def test_file_missing_on_one_rank(self):
        self.end("data", "missing", 3, "No such file")

    def test_file_missing_in_a_step(self):
        self.end("step:3", "missing", 3, "No such file")

    def test_nan_on_one_rank(self):
        self.end("step:3", "nan", 4)

    def test_the_last_rank(self):
        self.end("step:3", "throw", 70, rank=3)

    def test_a_rank_alone(self):
        self.refuse(70, "train", self.small(), WAVETRAIN_FAULT="rank=0,at=step:1,kind=throw")

    def test_malformed_fault(self):
        self.refuse(2, "train", self.small(), says="WAVETRAIN_FAULT", WAVETRAIN_FAULT="rank=2")

    def test_fault_on_a_rank_that_is_not_there(self):
        self.succeed(
            "train", self.small(), "--quiet", WAVETRAIN_FAULT="rank=5,at=step:1,kind=throw"
        )

    def test_json_error_line(self):
        done = self.refuse(
            70,
            "train",
            self.small(),
            "--json",
            ranks=4,
            WAVETRAIN_FAULT="rank=2,at=step:2,kind=throw",
        )
        lines = [
            json.loads(line) for line in done.stderr.splitlines() if line.startswith('{"error"')
        ]
        self.assertEqual(len(lines), 1, done.stderr)
        self.assertEqual(lines[0]["error"]["kind"], "bug")
        self.assertEqual(lines[0]["error"]["rank"], 2)


class Launch(support.AppTest):
    def assert_nothing_written(self):
        self.assertFalse(os.path.exists(self.path("run")))

    def test_expected_ranks(self):
        self.refuse(5, "train", self.small(), "--expect-ranks", 3, ranks=2, says=("3", "2", "rank"))
        self.assert_nothing_written()
        self.succeed("train", self.small(), "--expect-ranks", 2, "--quiet", ranks=2)

    def test_expected_hosts(self):
        self.refuse(5, "train", self.small(), "--expect-hosts", 2, ranks=2, says="hosts")
        self.assert_nothing_written()

    def test_singletons_under_a_launcher(self):
        """B98: as if Slurm or PMI had started four processes that do not know each other."""
        for variable in ("SLURM_NTASKS", "PMI_SIZE"):
            with self.subTest(variable):
                self.refuse(
                    5,
                    "train",
                    self.small(),
                    says=(variable, "--allow-singleton"),
                    **{variable: "4"},
                )
                self.assert_nothing_written()

    def test_allowed_singleton(self):
        self.succeed("train", self.small(), "--allow-singleton", "--quiet", SLURM_NTASKS="4")
        done = self.succeed("evaluate", self.path("run", "weights.h5"), SLURM_NTASKS="4")
        self.assertIn("warning", done.stderr)

    def test_mpirun_inside_a_larger_allocation(self):
        self.succeed("train", self.small(), "--quiet", ranks=2, SLURM_NTASKS="4")


class Lost(runs.RunTest):
    """A rank that is killed, stopped or stands still ends the job, is named, and nothing is lost."""

    def lose(self, fault, codes, *says, ranks=3, **changes):
        config = self.traced(**changes)
        began = time.monotonic()
        done = support.run(
            *("train", config, "--overwrite"), ranks=ranks, timeout=60, WAVETRAIN_FAULT=fault
        )
        # What the ranks did before the fault is in it, on a machine that does other things too.
        self.assertLess(time.monotonic() - began, 2 * SECONDS, done.stderr)
        self.assertIn(done.returncode, codes, done.stderr)
        for piece in says:
            self.assertRegex(done.stderr, piece)
        return config

    def go_on(self, config, ranks=2):
        self.succeed("train", config, "--resume", "auto", "--quiet", ranks=ranks)
        self.assert_same_run(self.path("run"), self.unbroken())

    def test_killed_in_a_step(self):
        said = (r"rank 1 of 3 .*was lost.*step 7", r"--resume auto")
        self.go_on(self.lose("rank=1,at=step:7,kind=kill", (69, 137), *said))

    def test_killed_while_reading_data(self):
        self.go_on(self.lose("rank=2,at=data,kind=kill", (69, 137)))

    def test_hanging_in_a_step(self):
        """The steps before took milliseconds: the limit is 10 s, not comm.timeout_seconds."""
        said = (
            r"ranks 0, 1 of 3 .*waiting for the others .*at: step 9",
            r"rank 2 of 3 .*has not arrived.*step 9\n",
            r"exit code 69.*--resume auto",
        )
        self.go_on(self.lose("rank=2,at=step:9,kind=hang", (69,), *said))

    def test_hanging_elsewhere(self):
        """Before the first step is measured, in validation and in files the time-out counts."""
        for at, rank, what in (
            ("data", 1, "reading the data"),
            ("step:1", 1, "step 1"),
            ("validation:2", 1, "epoch 2: validating"),
            ("weights", 0, "writing the weights and the last checkpoint"),
        ):
            with self.subTest(at):
                said = rf"rank {rank} of 2 .*has not arrived.*{what}"
                self.go_on(
                    self.lose(
                        f"rank={rank},at={at},kind=hang",
                        (69,),
                        said,
                        ranks=2,
                        comm={"timeout_seconds": 3},
                    )
                )

    def test_a_stopped_rank_is_named_by_the_others(self):
        # Stopped in validation it is the time-out that counts.
        config = self.traced(train={"epochs": 10**6}, comm={"timeout_seconds": 12})
        started = runs.Started(self, "train", config, ranks=3, log=self.path("log"))
        runs.wait_until(lambda: runs.last_step(self.path("run")) > 3)
        started.send(signal.SIGSTOP, 1)
        began = time.monotonic()
        self.assertEqual(started.wait(), 69, started.text())
        self.assertLess(time.monotonic() - began, 2 * SECONDS)
        self.assertRegex(started.text(), r"rank 1 of 3 .*has not arrived.*process is stopped")

    def test_a_job_that_is_suspended_goes_on(self):
        config = self.traced(train={"epochs": 10**6}, comm={"timeout_seconds": 2})
        started = runs.Started(self, "train", config, log=self.path("log"))
        runs.wait_until(lambda: runs.last_step(self.path("run")) > 3)
        started.send(signal.SIGSTOP)
        time.sleep(4)
        started.send(signal.SIGCONT)
        before = runs.last_step(self.path("run"))
        runs.wait_until(lambda: runs.last_step(self.path("run")) > before)
        started.send(signal.SIGUSR1)
        self.assertEqual(started.wait(), 75, started.text())


class Streams(runs.RunTest):
    """What becomes of the log is nothing that a training depends on."""

    def test_who_reads_the_log_ends_first(self):
        process = subprocess.Popen(
            [support.PROGRAM, "train", self.traced()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=support.environment(WAVETRAIN_FAULT=support.SLOW, **support.ALONE),
        )
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        process.stderr.readline()
        process.stderr.close()
        self.assertEqual(process.wait(60), 0)
        self.assert_same_run(self.path("run"), self.unbroken())

    def test_closed_streams_are_not_taken_by_other_files(self):
        """Otherwise the log would go into a file or a pipe of the MPI library."""
        config = self.traced(comm={"timeout_seconds": 0})
        process = subprocess.Popen(
            ["bash", "-c", 'exec "$@" <&- >&- 2>&-', "-", support.PROGRAM, "train", config],
            env=support.environment(
                WAVETRAIN_FAULT="rank=0,at=step:4,kind=hang", **support.ALONE
            ),
        )
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        runs.wait_until(lambda: runs.last_step(self.path("run")) == 3)
        for stream in range(3):
            self.assertEqual(os.readlink(f"/proc/{process.pid}/fd/{stream}"), "/dev/null")


class Numeric(support.AppTest):
    def test_diverging_training(self):
        """A learning rate near the largest double: infinite outputs, then NaN."""
        self.refuse(
            4,
            "train",
            self.small(optimizer={"name": "sgd", "learning_rate": 1e300}, train={"epochs": 5}),
            ranks=2,
        )
        self.assertFalse(os.path.exists(self.path("run", "weights.h5")))


if __name__ == "__main__":
    unittest.main()
