"""B102: a run killed at random moments, again and again: nothing unreadable, nothing lost, same bits."""

import os
import random
import signal
import time
import unittest

import runs
import support

KILLS = 200 if support.LONG else 20
EVERY = 5


class Killed(runs.RunTest):
    def kill_once(self, dice, config):
        """One start and one kill; the whole checkpoint that the next start has to find."""
        folder = self.path("run")
        ranks = dice.choice((0, 0, 0, 2, 3))
        began = runs.last_step(folder)
        started = runs.Started(
            self, *("train", config, "--resume", "auto"), ranks=ranks, log=self.path("log")
        )
        if dice.random() < 0.8:
            # Into the loop, by whatever the start takes on this machine.
            runs.wait_until(
                lambda: runs.last_step(folder) > began or started.process.poll() is not None
            )
        time.sleep(dice.uniform(0, 0.3))
        self.assertIsNone(started.process.poll(), started.text())
        if dice.random() < 0.5 or not ranks:
            started.kill_all()
        else:
            victims = started.pids()
            if victims:
                os.kill(victims[dice.choice(sorted(victims))], signal.SIGKILL)
            else:
                started.send(signal.SIGKILL)
            started.wait()
        self.assert_readable(folder)
        newest = max(runs.checkpoints(folder), default=0)
        # A checkpoint is written while later steps run: up to one more interval may be lost.
        if "left out" not in started.text():
            self.assertLessEqual(runs.last_step(folder) - newest, 2 * EVERY)
        return newest

    def test_kills_at_random_moments(self):
        seed = int(os.environ.get("WAVETRAIN_SEED", "7"))
        dice = random.Random(seed)
        folder = self.path("run")
        long = {"train": {"epochs": 10**6}, "checkpoint": {"every_steps": EVERY, "keep": 2}}
        newest = 0
        for kill in range(KILLS):
            with self.subTest(seed=seed, kill=kill):
                found = self.kill_once(dice, self.traced(**long))
                self.assertGreaterEqual(found, newest, "a checkpoint was lost")
                newest = found
        resumed = [record["step"] for record in support.events(folder, "resume")]
        self.assertEqual(resumed, sorted(resumed))
        self.assertGreater(newest, 0)
        epochs = support.events(folder, "order")[-1]["epoch"] + 1
        short = {**long, "train": {"epochs": epochs}}
        self.succeed(
            *("train", self.traced(**short), "--quiet", "--resume", "auto"), ranks=2, timeout=600
        )
        self.assertEqual(support.events(folder, "resume")[-1]["step"], newest)
        self.assert_same_run(folder, self.unbroken(**short))


if __name__ == "__main__":
    unittest.main()
