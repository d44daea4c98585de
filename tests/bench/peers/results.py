"""build/peers/results.json: what was measured, on which machine, when."""

import contextlib
import fcntl
import json
import os
import platform
import typing


class Work(typing.NamedTuple):
    """What is timed: a circuit (forward or gradient), a shifted execution, an epoch."""

    what: str
    circuit: str
    qubits: int
    batch: int = 1
    precision: str = "single"

    @property
    def name(self):
        text = f"{self.what} {self.circuit} {self.qubits}"
        text += f", batch {self.batch}" if self.batch > 1 else ""
        return text + (f", {self.precision}" if self.precision != "single" else "")


def seconds(entry):
    """The seconds that count: a peer's waiting for the core does not."""
    return min(entry["seconds"], entry.get("cpu_seconds") or entry["seconds"])


def machine():
    model = platform.machine()
    with contextlib.suppress(OSError), open("/proc/cpuinfo") as file:
        names = [line.split(":")[1].strip() for line in file if line.startswith("model name")]
        model = names[0] if names else model
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {"processor": model, "cores": os.cpu_count(), "memory_gib": round(memory / 2**30)}


def replace(path, text):
    """Writes a file whole or not at all."""
    with open(path + ".part", "w") as file:
        file.write(text + "\n")
    os.replace(path + ".part", path)


class Store:
    """The entries of one file, which several measurements may write at the same time."""

    def __init__(self, path):
        self.path = path
        self.machine = machine()
        self.entries = []
        self._read()

    def _read(self):
        with contextlib.suppress(FileNotFoundError), open(self.path) as file:
            found = json.load(file)
            if found["machine"] != self.machine:
                raise SystemExit(f"{self.path} is of another machine: move it away first")
            self.entries = found["measures"]

    @contextlib.contextmanager
    def _changing(self):
        """The file as it is now, written back at the end."""
        os.makedirs(os.path.dirname(self.path), exist_ok=True)
        with open(self.path + ".lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self._read()
            yield
            whole = {"machine": self.machine, "measures": self.entries}
            replace(self.path, json.dumps(whole, indent=1))

    def find(self, peer, work):
        for entry in self.entries:
            if entry["peer"] == peer and entry["work"] == list(work):
                return entry
        return None

    def fastest(self, work, peers=None):
        """The peer with the least seconds; None if nobody was measured."""
        found = [
            entry
            for entry in self.entries
            if entry["work"] == list(work) and entry["peer"] != "wavetrain"
            if peers is None or entry["peer"] in peers
        ]
        return min(found, key=seconds)["peer"] if found else None

    def add(self, peer, work, report, anew=True):
        """Keeps a report; if not anew, the smaller seconds of it and of the one that is there.

        Seconds of compiling are always the larger ones: JAX keeps what it has compiled.
        """
        entry = {"peer": peer, "work": list(work), "name": work.name}
        entry["seconds"] = report.get("seconds_per_circuit", report.get("seconds"))
        entry["cpu_seconds"] = report.get("cpu_seconds_per_circuit")
        kept = ("compile_seconds", "precision", "version", "fused", "values_agree", "load", "date")
        kept += ("largest_difference", "largest_gradient_difference", "bytes", "flops")
        entry.update({name: report[name] for name in kept if name in report})
        with self._changing():
            before = self.find(peer, work)
            best = {"compile_seconds": max}
            best |= {} if anew else {"seconds": min, "cpu_seconds": min}
            for name, choose in best.items() if before else ():
                if before.get(name) is not None and entry.get(name) is not None:
                    entry[name] = choose(before[name], entry[name])
            self.entries = [e for e in self.entries if e is not before] + [entry]
        return entry
