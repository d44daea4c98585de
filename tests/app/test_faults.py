"""One failing rank ends the whole job, soon, with its message and exit code."""

import json
import os
import time
import unittest

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
