"""The table of faults: each is injected into a real training, which must end in time and go on.

table.py [--short] [PATTERN...]   prints one row a fault: seconds until the end, exit code, and
                                  whether the resumed run has the bits of the unbroken one

Ends with 1 if a row is not as promised. --short leaves out what other tests show as well (hosts,
Slurm) and all but one of a kind. A fault that this machine cannot play is a row that says why.
"""

import argparse
import glob
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))
for folder in ("app", "hosts", "slurm"):
    sys.path.insert(0, os.path.join(ROOT, "tests", folder))
import cluster  # noqa: E402
import hosts  # noqa: E402
import support  # noqa: E402

WRAPPER = os.path.join(ROOT, "scripts", "wavetrain-run")
RANKS = 3
# Whatever happens, nothing waits longer than this.
LIMIT_SECONDS = 300

# 240 steps. What is to be struck takes 50 ms longer for each (support.SLOW), however fast the
# machine; faults of the program itself come at a step of their own.
TRAINING = {
    "model": {"kind": "qcnn_hybrid", "qubits": 10},
    "data": {"source": "excitations", "rounds": 4, "seed": 3},
    "train": {"epochs": 60, "batch_size": 7, "seed": 4, "log_every_steps": 1},
    "checkpoint": {"every_steps": 10},
}


class Skip(Exception):
    """This machine cannot play the fault."""


class Broken(Exception):
    """The run did not do what was promised."""


class Run:
    """One training in a scratch folder: started, struck by a fault, resumed."""

    def __init__(self, output=None):
        self.folder = tempfile.mkdtemp(prefix="wavetrain-fault-")
        self.output = output or os.path.join(self.folder, "run")
        self.process = None

    def close(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.communicate()
        shutil.rmtree(self.folder, ignore_errors=True)

    def config(self, **changes):
        tables = {**TRAINING, "output": {"folder": self.output}}
        for table, keys in changes.items():
            tables[table] = {**tables.get(table, {}), **keys}
        path = os.path.join(self.folder, "config.toml")
        with open(path, "w") as file:
            file.write(support.toml(tables))
        return path

    def command(self, config, *options):
        return [support.MPIRUN, "-n", str(RANKS), support.PROGRAM, "train", config, *options]

    def start(self, *options, wrapper=(WRAPPER,), **variables):
        variables.setdefault("WAVETRAIN_FAULT", support.SLOW)
        self.process = subprocess.Popen(
            [*wrapper, *self.command(self.config(), *options)],
            cwd=self.folder,
            text=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=support.environment(**variables),
        )

    def wait_for(self, condition, what):
        deadline = time.monotonic() + LIMIT_SECONDS
        while not condition():
            if self.process.poll() is not None and not condition():
                raise Broken(f"ended before {what}: {self.process.communicate()[0][-1000:]}")
            if time.monotonic() > deadline:
                raise Broken(f"no sign of {what}")
            time.sleep(0.01)

    def wait_for_checkpoint(self):
        self.wait_for(self.checkpoints, "its first checkpoint")

    def checkpoints(self):
        return sorted(glob.glob(os.path.join(self.output, "checkpoints", "*.h5")))

    def ranks(self):
        """The processes of the program below mpirun, by rank."""
        found = []
        for path in glob.glob("/proc/[0-9]*/environ"):
            try:
                words = support.read_bytes(path).split(b"\0")
                name = support.read_bytes(os.path.dirname(path) + "/comm")
                place = os.readlink(os.path.dirname(path) + "/cwd")
            except OSError:
                continue
            rank = [w for w in words if w.startswith(b"OMPI_COMM_WORLD_RANK=")]
            if rank and name == b"wavetrain\n" and place == self.folder:
                found.append((int(rank[0].split(b"=")[1]), int(path.split("/")[2])))
        return [pid for _, pid in sorted(found)]

    def launcher(self):
        """mpirun below the wrapper."""
        for pid in hosts.children(self.process.pid):
            if support.read_bytes(f"/proc/{pid}/comm") == b"mpirun\n":
                return pid
        raise Broken("no mpirun below the wrapper")

    def end(self, began):
        """Waits: (seconds since `began`, exit code, what was said)."""
        try:
            text = self.process.communicate(timeout=LIMIT_SECONDS)[0]
        except subprocess.TimeoutExpired:
            raise Broken(f"still running after {LIMIT_SECONDS} s") from None
        return time.monotonic() - began, self.process.returncode, text

    def resumed(self):
        """Goes on to the end, on another number of ranks; are the bits those of no fault?"""
        done = support.run(
            "train", self.config(), "--resume", "auto", "--quiet", ranks=2, timeout=LIMIT_SECONDS
        )
        if done.returncode != 0:
            raise Broken(f"the resumed run ended with {done.returncode}: {done.stderr[-1000:]}")
        return self.same_bits()

    def same_bits(self):
        weights, records = whole_run()
        mine = [r for r in support.events(self.output) if r["event"] in ("step", "epoch")]
        return (
            support.read_bytes(os.path.join(self.output, "weights.h5")) == weights
            and [(r["event"], r["step"], r["loss"]) for r in mine] == records
        )


def whole_run(known=[]):  # noqa: B006 (computed once)
    """Weights, steps and epochs of the unbroken run."""
    if not known:
        run = Run()
        try:
            done = support.run("train", run.config(), "--quiet", timeout=LIMIT_SECONDS)
            if done.returncode != 0:
                raise Broken(done.stderr)
            records = [r for r in support.events(run.output) if r["event"] in ("step", "epoch")]
            known.append(support.read_bytes(os.path.join(run.output, "weights.h5")))
            known.append([(r["event"], r["step"], r["loss"]) for r in records])
        finally:
            run.close()
    return known


# Faults: each a function of a Run that returns (seconds, exit code, same bits) ------------------


def injected(kind, says, place="step:60"):
    """The program's own fault on rank 1; the message must name it."""

    def fault(run):
        struck = [0.0]
        run.start(WAVETRAIN_FAULT=f"rank=1,at={place},kind={kind}")
        run.wait_for_checkpoint()
        struck[0] = time.monotonic()
        seconds, code, text = run.end(struck[0])
        for piece in says:
            if piece not in text:
                raise Broken(f"nothing is said of '{piece}': {text[-1000:]}")
        return seconds, code, run.resumed()

    return fault


def signalled(number, whom, times=1):
    """A signal to the wrapper, the launcher or one rank."""

    def fault(run):
        run.start()
        run.wait_for_checkpoint()
        target = {
            "wrapper": lambda: run.process.pid,
            "mpirun": run.launcher,
            "a rank": lambda: run.ranks()[-1],
        }[whom]()
        began = time.monotonic()
        for _ in range(times):
            os.kill(target, number)
            time.sleep(0.1)
        seconds, code, _ = run.end(began)
        return seconds, code, run.resumed()

    return fault


def resumed_by_wrapper(run):
    """A killed rank, and nobody does anything."""
    run.start(wrapper=(WRAPPER, "--resume-on-failure"))
    run.wait_for_checkpoint()
    os.kill(run.ranks()[-1], signal.SIGKILL)
    seconds, code, text = run.end(time.monotonic())
    if "running again with --resume auto" not in text:
        raise Broken(text[-1000:])
    return seconds, code, run.same_bits()


def damaged_checkpoint(run):
    """A bit of the newest checkpoint is wrong: the one before is used."""
    run.start()
    run.wait_for(lambda: len(run.checkpoints()) >= 2, "two checkpoints")
    os.kill(run.process.pid, signal.SIGTERM)
    run.end(time.monotonic())
    newest = run.checkpoints()[-1]
    with open(newest, "r+b") as file:
        file.seek(os.path.getsize(newest) // 2)
        byte = file.read(1)[0]
        file.seek(-1, os.SEEK_CUR)
        file.write(bytes([byte ^ 8]))
    began = time.monotonic()
    run.start("--resume", "auto")
    seconds, code, text = run.end(began)
    if os.path.basename(newest) not in text:
        raise Broken(f"the damaged checkpoint is not named: {text[-1000:]}")
    return seconds, code, run.same_bits()


class Tmpfs:
    """A file system of its own in memory, of `size` bytes."""

    def __init__(self, run, size):
        if os.getuid() != 0:
            raise Skip("only root may mount")
        self.path = os.path.join(run.folder, "disk")
        self.size = size
        run.output = os.path.join(self.path, "run")

    def __enter__(self):
        os.makedirs(self.path)
        mount = ["mount", "-t", "tmpfs", "-o", f"size={self.size}", "tmpfs", self.path]
        done = subprocess.run(mount, capture_output=True, text=True)
        if done.returncode != 0:
            raise Skip(f"mounting is not allowed here: {done.stderr.strip()}")
        return self

    def __exit__(self, *error):
        subprocess.run(["umount", "-l", self.path], capture_output=True)


def disk_full(run):
    """The disk fills up while training goes on; room is made, and the run goes on."""
    with Tmpfs(run, "4m") as disk:
        run.start()
        run.wait_for_checkpoint()
        filler = os.path.join(disk.path, "filler")
        with open(filler, "wb", buffering=0) as file:
            try:
                while file.write(b"\0" * 4096):
                    pass
            except OSError:
                pass
        seconds, code, text = run.end(time.monotonic())
        if "No space left on device" not in text:
            raise Broken(text[-1000:])
        os.remove(filler)
        return seconds, code, run.resumed()


def not_writable(run):
    """The run's folder loses the right to be written: `immutable`, which binds root too."""
    run.start()
    run.wait_for_checkpoint()
    folders = [run.output, os.path.join(run.output, "checkpoints")]
    began = time.monotonic()
    done = subprocess.run(["chattr", "+i", *folders], capture_output=True, text=True)
    try:
        if done.returncode != 0:
            raise Skip(f"chattr is not allowed here: {done.stderr.strip()}")
        seconds, code, text = run.end(began)
    finally:
        subprocess.run(["chattr", "-i", *folders], capture_output=True)
    if "Operation not permitted" not in text:
        raise Broken(text[-1000:])
    return seconds, code, run.resumed()


def folder_gone(run):
    """Somebody removes the run's folder: an error at the end, and a new start gives the bits."""
    run.start()
    run.wait_for_checkpoint()
    while True:
        try:
            shutil.rmtree(run.output)
            break
        except OSError:
            continue
    with open(run.output, "w"):
        pass  # nor can it be made again
    seconds, code, _ = run.end(time.monotonic())
    os.remove(run.output)
    return seconds, code, run.resumed()


def on_hosts(strike):
    """A fault of hosts: two of them with two ranks each."""

    def fault(run):
        reason = hosts.missing()
        if reason:
            raise Skip(reason)
        machines = hosts.Hosts(2)
        try:
            run.process = machines.launch(
                WRAPPER, "--", "mpirun", "-n", 4, "-x", "OMP_NUM_THREADS",
                "-x", f"WAVETRAIN_FAULT={support.SLOW}",
                support.PROGRAM, "train", run.config(),
            )  # fmt: skip
            run.wait_for_checkpoint()
            began = time.monotonic()
            strike(machines, run)
            seconds, code, _ = run.end(began)
        finally:
            machines.close()
        return seconds, code, run.resumed()

    return fault


def on_slurm(strike, code_of):
    """A fault under Slurm: two nodes with a rank each, by train.sbatch."""

    def fault(run):
        reason = cluster.missing()
        if reason:
            raise Skip(reason)
        slurm = cluster.Cluster()
        try:
            slurm.start()
            os.makedirs(os.path.join(run.folder, "build", "release"))
            os.symlink(support.PROGRAM, os.path.join(run.folder, "build/release/wavetrain"))
            os.symlink(os.path.join(ROOT, "scripts"), os.path.join(run.folder, "scripts"))
            job = slurm.submit(
                "-N2", "-n2", "--output=log", "scripts/slurm/train.sbatch", run.config(),
                folder=run.folder, WAVETRAIN_FAULT=support.SLOW,
            )  # fmt: skip
            cluster.wait_until(run.checkpoints, "a checkpoint", LIMIT_SECONDS)
            began = time.monotonic()
            strike(slurm, job)
            code = code_of(slurm, job)
            seconds = time.monotonic() - began
            slurm.run("scancel", "--quiet", job, check=False)
            cluster.wait_until(lambda: slurm.node_states() == {"idle"}, "nodes are idle")
        finally:
            slurm.stop()
        return seconds, code, run.resumed()

    return fault


def cancelled(slurm, job):
    slurm.wait_for_state(job, "CANCELLED")
    cluster.wait_until(lambda: slurm.node_states() == {"idle"}, "nodes are idle")
    return "CANCELLED"


def requeued(slurm, job):
    cluster.wait_until(lambda: slurm.job(job)["Restarts"] == "1", "requeued")
    return "requeued"


def preempt(slurm, job):
    slurm.submit("-p", "high", "-N2", "-n2", "--exclusive", "--wrap", "true", "--output=/dev/null")


# name, fault, seconds allowed, exit codes allowed, in the short form
FAULTS = [
    ("a rank is killed", injected("kill", ()), 10, {69, 137}, True),
    ("a rank throws", injected("throw", ("rank 1",)), 10, {70}, True),
    ("a rank has no memory", injected("bad_alloc", ("rank 1", "memory")), 10, {3}, False),
    ("a rank misses a file", injected("missing", ("rank 1",)), 10, {3}, False),
    ("a rank computes NaN", injected("nan", ("rank 1",)), 10, {4}, False),
    ("a rank stands still", injected("hang", ("rank 1",)), 15, {69}, True),
    ("TERM to the wrapper", signalled(signal.SIGTERM, "wrapper"), 10, {75}, True),
    ("INT to the wrapper", signalled(signal.SIGINT, "wrapper"), 10, {75}, False),
    ("INT twice", signalled(signal.SIGINT, "wrapper", 2), 10, {1, 75, 130, 137, 143}, False),
    ("USR1 to mpirun", signalled(signal.SIGUSR1, "mpirun"), 10, {75}, False),
    ("USR1 to one rank", signalled(signal.SIGUSR1, "a rank"), 10, {75}, True),
    ("TERM to one rank", signalled(signal.SIGTERM, "a rank"), 10, {75}, False),
    ("mpirun is killed", signalled(signal.SIGKILL, "mpirun"), 10, {137}, True),
    ("a rank is killed, wrapper goes on", resumed_by_wrapper, 120, {0}, True),
    ("the newest checkpoint is damaged", damaged_checkpoint, 120, {0}, True),
    ("the disk is full", disk_full, 120, {3}, True),
    ("the folder may not be written", not_writable, 120, {3}, False),
    ("the folder vanishes", folder_gone, 120, {3}, True),
    (
        "a host is lost",
        on_hosts(lambda machines, run: machines.set_link(2, "down")),
        15,
        {205, 255},
        False,
    ),
    ("a worker is killed", on_hosts(lambda machines, run: machines.end_host(2)), 15, {205, 255}, False),
    ("a worker is drained", on_hosts(lambda machines, run: machines.drain_host(2)), 15, {75}, False),
    (
        "the launcher is terminated",
        on_hosts(lambda machines, run: os.kill(run.process.pid, signal.SIGTERM)),
        15,
        {75},
        False,
    ),
    (
        "Slurm: scancel",
        on_slurm(lambda slurm, job: slurm.run("scancel", job), cancelled),
        30,
        {"CANCELLED"},
        False,
    ),
    (
        "Slurm: time is nearly up (USR1)",
        on_slurm(lambda slurm, job: slurm.run("scancel", "-b", "-s", "USR1", job), requeued),
        30,
        {"requeued"},
        False,
    ),
    ("Slurm: preempted", on_slurm(preempt, requeued), 60, {"requeued"}, False),
]


def row(name, seconds, code, same):
    print(f"| {name:<34} | {seconds:>7} | {code!s:>9} | {same:<4} |", flush=True)


def play(name, fault, allowed_seconds, codes):
    """Prints the row of one fault; returns what is wrong with it."""
    run = Run()
    try:
        seconds, code, same = fault(run)
    except Skip as reason:
        row(name, "", "", f"not played: {reason}")
        return None
    except (Broken, AssertionError, OSError, ValueError, KeyError) as error:
        row(name, "", "", "no")
        return f"{name}: {error}"
    finally:
        run.close()
    row(name, f"{seconds:.1f}", code, "yes" if same else "no")
    if code not in codes:
        return f"{name}: exit code {code}, not {codes}"
    if seconds > allowed_seconds:
        return f"{name}: {seconds:.1f} s, not {allowed_seconds}"
    return None if same else f"{name}: other bits"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--short", action="store_true", help="without hosts and Slurm")
    parser.add_argument("patterns", nargs="*", help="only faults whose names match")
    arguments = parser.parse_args()
    chosen = [
        fault
        for fault in FAULTS
        if (fault[4] or not arguments.short)
        and (not arguments.patterns or any(re.search(p, fault[0]) for p in arguments.patterns))
    ]
    row("fault", "seconds", "exit code", "same bits")
    print("| --- | --: | --: | --- |")
    wrong = [text for name, *fault, _ in chosen if (text := play(name, *fault))]
    for text in wrong:
        print(text, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
