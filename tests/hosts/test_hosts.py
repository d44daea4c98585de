"""Training over two hosts with two ranks each: whole, and with every way to lose a host.

Each fault must end within the promised time, leave a checkpoint, and the run must go on from it to
the bits of the unbroken run. Skipped (77) where the machine allows no namespaces.
"""

import glob
import os
import signal
import sys
import time
import unittest

import hosts

sys.path.insert(0, os.path.join(hosts.ROOT, "tests", "app"))
import support  # noqa: E402

RUN = os.path.join(hosts.ROOT, "scripts", "wavetrain-run")
HOST_LOST_SECONDS = 15


class TwoHosts(support.AppTest):
    @classmethod
    def setUpClass(cls):
        cls.hosts = hosts.Hosts(2)
        cls.addClassCleanup(cls.hosts.close)

    def training(self, output="run", epochs=60, **changes):
        return self.small(
            output,
            name=output + ".toml",
            model={"qubits": 10},
            train={"epochs": epochs, "batch_size": 7},
            checkpoint={"every_steps": 10, **changes},
        )

    def start(self, config, *options, wrapper=(), slow=True):
        """Slow: however fast the machine, the training lasts for long enough to be struck."""
        process = self.hosts.launch(
            RUN, *wrapper, "--", "mpirun", "-n", 4, "-x", "OMP_NUM_THREADS",
            *(("-x", f"WAVETRAIN_FAULT={support.SLOW}") if slow else ()),
            support.PROGRAM, "train", config, "--expect-hosts", 2, *options
        )  # fmt: skip
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def wait_for_checkpoint(self, process, output="run"):
        deadline = time.monotonic() + 60
        while not glob.glob(self.path(output, "checkpoints", "*.h5")):
            self.assertIsNone(process.poll(), "the training ended before its first checkpoint")
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)

    def end(self, process, code, seconds):
        """Its output; it must end with this code (one of these) within so many seconds."""
        began = time.monotonic()
        text = process.communicate(timeout=seconds + 60)[0]
        codes = code if isinstance(code, tuple) else (code,)
        self.assertIn(process.returncode, codes, text[-3000:])
        self.assertLess(time.monotonic() - began, seconds, text[-3000:])
        return text

    def check_goes_on(self, config, output="run"):
        """Resumed to the end, the weights are those of an unbroken run on one host."""
        self.assertFalse(os.path.exists(self.path(output, "weights.h5")))
        self.end(self.start(config, "--resume", "auto", slow=False), 0, 300)
        self.check_whole(output)

    def check_whole(self, output="run", epochs=60):
        weights = support.read_bytes(self.path(output, "weights.h5"))
        self.assertEqual(weights, self.whole(epochs))
        self.assertEqual(
            [record["epoch"] for record in support.events(self.path(output), "epoch")],
            list(range(1, epochs + 1)),
        )

    def whole(self, epochs, known={}):  # noqa: B006 (computed once)
        """The weights of an unbroken run on one host, one rank."""
        if epochs not in known:
            self.succeed("train", self.training("whole", epochs), "--quiet", timeout=600)
            known[epochs] = support.read_bytes(self.path("whole", "weights.h5"))
        return known[epochs]

    def test_unbroken(self):
        config = self.training("run", 5)
        self.end(self.start(config, slow=False), 0, 60)
        self.check_whole(epochs=5)

    def test_host_lost(self):
        config = self.training()
        process = self.start(config)
        self.wait_for_checkpoint(process)
        self.hosts.set_link(2, "down")
        try:
            # By the daemon's silence or, where that is not noticed, by that of ssh.
            self.end(process, (205, 255), HOST_LOST_SECONDS)
        finally:
            # The machine is gone; another takes its place.
            self.hosts.end_host(2)
            self.hosts.set_link(2, "up")
            self.hosts.start_host(2)
        self.check_goes_on(config)

    def test_worker_killed(self):
        config = self.training()
        process = self.start(config)
        self.wait_for_checkpoint(process)
        self.hosts.end_host(2)
        try:
            # Which of the two mpirun notices first: the daemon's silence or ssh's end.
            self.end(process, (205, 255), HOST_LOST_SECONDS)
        finally:
            self.hosts.start_host(2)
        self.check_goes_on(config)

    def test_worker_drained(self):
        """No checkpoint but the one that the drain asks for."""
        config = self.training(every_steps=0)
        process = self.start(config)
        self.wait_for_step(process)
        self.hosts.drain_host(2)
        try:
            self.end(process, 75, HOST_LOST_SECONDS)
        finally:
            self.hosts.start_host(2)
        self.assertEqual(len(os.listdir(self.path("run", "checkpoints"))), 1)
        self.check_goes_on(config)

    def test_launcher_terminated(self):
        config = self.training(every_steps=0)
        process = self.start(config)
        self.wait_for_step(process)
        process.send_signal(signal.SIGTERM)
        self.end(process, 75, HOST_LOST_SECONDS)
        self.assertEqual(len(os.listdir(self.path("run", "checkpoints"))), 1)
        self.check_goes_on(config)

    def wait_for_step(self, process, output="run"):
        deadline = time.monotonic() + 60
        path = self.path(output, "metrics.jsonl")
        while not os.path.exists(path) or not support.events(self.path(output), "epoch"):
            self.assertIsNone(process.poll(), "the training ended before its first epoch")
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)

    def test_host_down_at_the_start(self):
        self.hosts.set_link(2, "down")
        try:
            self.end(self.start(self.training()), 255, HOST_LOST_SECONDS)
        finally:
            self.hosts.set_link(2, "up")
        self.assertFalse(os.path.exists(self.path("run")))

    def test_wrapper_goes_on_by_itself(self):
        """A killed rank on the other host: the wrapper finishes the run on its own."""
        config = self.training()
        process = self.start(config, wrapper=("--resume-on-failure",))
        self.wait_for_checkpoint(process)
        (init,) = hosts.children(self.hosts.processes[2].pid)
        os.kill(next(iter(ranks_below(init))), signal.SIGKILL)
        text = self.end(process, 0, 300)
        self.assertIn("running again with --resume auto", text)
        self.check_whole()

    def test_doctor(self):
        process = self.hosts.launch(
            RUN, "mpirun", "-n", 4, support.PROGRAM, "doctor", "--threads", 1, "--json"
        )
        text = process.communicate(timeout=60)[0]
        self.assertEqual(process.returncode, 0, text)
        self.assertIn("2 hosts: worker-0 x 2 worker-1 x 2", text)
        self.assertIn("a lost host is noticed after about 11 s", text)


def ranks_below(pid):
    """The processes of the program below a process."""
    for child in hosts.children(pid):
        with open(f"/proc/{child}/comm") as file:
            if file.read().strip() == "wavetrain":
                yield child
        yield from ranks_below(child)


if __name__ == "__main__":
    reason = hosts.missing()
    if reason:
        print("skipped:", reason)
        sys.exit(77)
    unittest.main()
