"""What the tests of interrupted runs share: a run that leaves traces, its files, its ranks."""

import hashlib
import json
import os
import signal
import subprocess
import time

import h5py

import support

SEAL = b"wavetrain checkpoint sha256 "


def is_whole(path):
    """Whether a checkpoint file is whole, found out without the program."""
    content = support.read_bytes(path)
    body, seal = content[: -len(SEAL) - 65], content[-len(SEAL) - 65 :]
    return seal == SEAL + hashlib.sha256(body).hexdigest().encode() + b"\n"


def checkpoints(folder):
    """{step: path} of the whole checkpoints of a run; the step is read from the file."""
    found, inside = {}, os.path.join(folder, "checkpoints")
    for name in os.listdir(inside) if os.path.isdir(inside) else ():
        path = os.path.join(inside, name)
        try:
            if not name.endswith(".tmp") and is_whole(path):
                with h5py.File(path, "r") as file:
                    found[int(file.attrs["step"])] = path
        except OSError:
            if os.path.exists(path):
                raise  # else: a running program removes old ones
    return found


def last_step(folder):
    """The last step that the metrics know; a torn last record does not count."""
    try:
        with open(os.path.join(folder, "metrics.jsonl")) as file:
            lines = file.read().split("\n")[:-1]
    except FileNotFoundError:
        return 0
    for line in reversed(lines):
        record = json.loads(line)
        if record["event"] == "step":
            return record["step"]
    return 0


def ranks_of(launcher):
    """{rank: process id} of what an mpirun has started on this host."""
    found = {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/stat") as file:
                parent = int(file.read().rsplit(")", 1)[1].split()[1])
            if parent != launcher:
                continue
            variables = support.read_bytes(f"/proc/{entry}/environ").split(b"\0")
        except (OSError, IndexError, ValueError):
            continue
        for variable in variables:
            if variable.startswith(b"OMPI_COMM_WORLD_RANK="):
                found[int(variable.split(b"=")[1])] = int(entry)
    return found


class Started:
    """A program that runs in the background, alone or under mpirun."""

    def __init__(self, test, *arguments, ranks=0, log=None, **variables):
        """`log` takes stderr; whatever happens, nothing outlives the test."""
        self.alone = ranks == 0
        self.log = log or os.devnull
        command = [support.PROGRAM, *map(str, arguments)]
        if ranks:
            command = [support.MPIRUN, "-n", str(ranks), *command]
        else:
            variables = {**support.ALONE, **variables}
        with open(self.log, "w") as stderr:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=stderr,
                env=support.environment(**variables),
                start_new_session=True,
            )
        test.addCleanup(self.kill_all)

    def pids(self):
        if self.alone:
            return {0: self.process.pid}
        return ranks_of(self.process.pid)

    def send(self, number, rank=None):
        """Sends a signal to one rank, or to the launcher (which is the program where it is alone)."""
        pid = self.process.pid if rank is None else self.pids()[rank]
        os.kill(pid, number)

    def catches(self, number):
        """Whether the launcher (the program where it is alone) has a handler for a signal."""
        with open(f"/proc/{self.process.pid}/status") as file:
            mask = next(line for line in file if line.startswith("SigCgt")).split()[1]
        return bool(int(mask, 16) & 1 << (number - 1))

    def has_open(self, path):
        """Whether the program, alone, has a file or folder open."""
        folder = f"/proc/{self.process.pid}/fd"
        return any(os.path.realpath(os.path.join(folder, fd)) == path for fd in os.listdir(folder))

    def kill_all(self):
        if self.process.poll() is not None:
            return
        pids = list(self.pids().values())
        for pid in [self.process.pid, *pids]:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.wait()

    def wait(self, timeout=60):
        """The exit code, and nothing of it left over."""
        pids = list(self.pids().values())
        code = self.process.wait(timeout)
        wait_until(lambda: not any(os.path.exists(f"/proc/{pid}") for pid in pids))
        return code

    def text(self):
        """What it has said on stderr so far."""
        with open(self.log) as file:
            return file.read()


def wait_until(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"nothing happened in {seconds} s")
        time.sleep(0.01)


class RunTest(support.AppTest):
    """A test of one run that is interrupted, against the same run unbroken."""

    def traced(self, output="run", name="config.toml", **changes):
        """A config whose metrics tell every step and every order; small batches, many steps."""
        tables = {
            "train": {
                "epochs": 6,
                "batch_size": 3,
                "seed": 4,
                "log_every_steps": 1,
                "log_order": True,
                "early_stopping_patience": 10**6,  # on, and no training ends of it
            },
            "checkpoint": {"every_steps": 2},
        }
        for table, keys in changes.items():
            tables[table] = {**tables.get(table, {}), **keys}
        return self.small(output, name, **tables)

    def unbroken(self, **changes):
        """The folder of the same run, never interrupted and without checkpoints on the way."""
        config = self.traced(
            "unbroken",
            "unbroken.toml",
            **{**changes, "checkpoint": {"every_steps": 0, "every_seconds": 0}},
        )
        self.succeed("train", config, "--quiet", "--overwrite", timeout=600)
        return self.path("unbroken")

    def assert_same_run(self, folder, unbroken):
        """The same weights, byte for byte, and metrics without a gap and without a double."""
        weights = [support.read_bytes(os.path.join(f, "weights.h5")) for f in (folder, unbroken)]
        self.assertEqual(weights[0], weights[1], "weights.h5 differs from the unbroken run's")

        def told(place):
            records = []
            for record in support.events(place):
                if record["event"] in ("step", "order", "epoch", "start", "end"):
                    for key in ("seconds", "samples_per_second", "run", "ranks", "threads"):
                        record.pop(key, None)
                    records.append(record)
            return records

        self.assertEqual(told(folder), told(unbroken))

    def assert_readable(self, folder):
        """Whatever has its final name is whole."""
        for place, _, names in os.walk(folder):
            for name in names:
                path = os.path.join(place, name)
                if name.startswith("step-") and name.endswith(".h5"):
                    self.assertTrue(is_whole(path), path)
                if name.endswith(".h5"):
                    with h5py.File(path, "r") as file:
                        file.visititems(lambda _, item: item[()] if hasattr(item, "shape") else 0)
