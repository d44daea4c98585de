"""Wavetrain beside its peers: measures what is missing, prints values, ratios and targets.

table.py                 our side anew, the peers from build/peers/results.json where they are there
table.py --fresh         the peers anew too, in turns with Wavetrain on the same core (hours)
table.py --stored        measures nothing
table.py --peers-only    the peers that are missing, nothing of ours
table.py --ours-only     our side anew, nothing of the peers
Other options: --json, --only REGEX, --core N. What --json prints is also left in
build/peers/table.json, where `wavetrain bench --peers` reads it.

A ratio is the peer's seconds over ours. Peers are credited with their CPU seconds where those are
less than their wall seconds, as on a machine with other work.
"""

import argparse
import json
import os
import re
import subprocess
import sys

import environments
import results
from results import Work

HERE = os.path.dirname(os.path.abspath(__file__))
SIMULATORS = ("qsim", "mindquantum", "qulacs", "aer", "lightning")
DIFFERENTIATE = ("tfq", "mindquantum", "qulacs", "lightning")

# Members of a batch at each width of the QCNN.
BATCHES = {8: 64, 12: 64, 16: 4, 20: 1, 23: 1}
QCNN = {
    "forward": {
        8: {"jax": 8, "tfq": 450},
        12: {"jax": 6},
        16: {"tfq": 7},
        20: {"qsim": 8},
        23: {"qsim": 6},
    },
    "gradient": {
        8: {"jax": 12, "tfq": 400},
        12: {"jax": 6, "tfq": 45},
        16: {"lightning": 42},
        20: {"lightning": 70},
        23: {"lightning": 150},
    },
}


def works():
    """Every circuit to be timed: (work, {peer: target}, other peers); "fastest" is any of them."""
    found = []
    for what in ("gradient", "forward"):
        for qubits, targets in QCNN[what].items():
            peers = DIFFERENTIATE if what == "gradient" else ("tfq", *SIMULATORS)
            peers += ("jax",) if qubits <= (12 if what == "gradient" else 16) else ()
            found.append((Work(what, "qcnn", qubits, BATCHES[qubits]), targets, peers))
    found.append((Work("gradient", "qcnn_multi", 23), {"tfq": None}, ("lightning",)))
    for qubits in (20, 23):
        targets = {"qsim": 1.5, "fastest": 1}
        found.append((Work("forward", "brickwork", qubits), targets, SIMULATORS))
        ansatz = Work("forward", "hardware_efficient", qubits)
        found.append((ansatz, targets, ("tfq", *SIMULATORS)))
    for qubits in (20, 23):
        targets = {"lightning": 8, "fastest": 1}
        bricks = Work("gradient", "brickwork_weights", qubits)
        found.append((bricks, targets, DIFFERENTIATE[1:]))
        found.append((Work("gradient", "hardware_efficient", qubits), targets, DIFFERENTIATE))
    found.append((Work("forward", "strongly_entangling", 30), {"qsim": 2}, ()))
    return found


# Shifted executions against the fastest peer's forward; the tutorial's epoch against its reference.
SHIFTS = {qubits: Work("shift", "qcnn", qubits, 64) for qubits in (8, 12)}
SHIFT_TARGET = 10
EPOCH = Work("epoch", "qcnn_hybrid", 8, 32)
EPOCH_TARGETS = {"single": 150, "double": 80}


def script_line(command):
    """The JSON that a script prints last, whether or not its numbers agree."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    lines = done.stdout.strip().splitlines()
    if not lines:
        raise RuntimeError(done.stderr.strip()[-1500:] or f"{command} prints nothing")
    return json.loads(lines[-1])


def repeats(peer, work):
    """Short measurements are repeated more often."""
    if peer == "wavetrain":
        return 20 if work.qubits <= 16 else 3
    return {8: 10, 12: 5, 16: 5, 20: 2}.get(work.qubits, 1)


def time_work(peer, work, core):
    command = [sys.executable, os.path.join(HERE, "peers.py"), "--peer", peer]
    command += ["--what", work.what, "--circuit", work.circuit, "--qubits", str(work.qubits)]
    command += ["--batch", str(work.batch), "--repeat", str(repeats(peer, work))]
    return script_line([*command, "--core", str(core)])


def time_epoch_tfq(workers):
    script = os.path.join(HERE, "epoch_tfq.py")
    return script_line([sys.executable, script, "--workers", str(workers)])


class Table:
    def __init__(self, options):
        self.options = options
        self.store = results.Store(os.path.join(environments.FOLDER, "results.json"))
        self.measured = set()  # in this run

    def wanted(self, peer, work):
        if self.options.stored or not re.search(self.options.only, f"{work.name} {peer}"):
            return False
        if peer == "wavetrain":
            return not self.options.peers_only
        if self.options.ours_only:
            return False
        return self.options.fresh or self.store.find(peer, work) is None

    def attempt(self, peer, work, measure):
        """Measures, keeps the result and says so; a failure is said and kept out."""
        try:
            report = measure()
        except (RuntimeError, ValueError, OSError, subprocess.SubprocessError) as error:
            print(f"{work.name}, {peer}: {error}", file=sys.stderr)
            return
        entry = self.store.add(peer, work, report, anew=(peer, work) not in self.measured)
        self.measured.add((peer, work))
        agrees = "" if entry.get("values_agree") in (True, None) else "  NUMBERS DIFFER"
        text = f"{work.name}, {peer}: {results.seconds(entry):.4g} s{agrees}"
        print(text, file=sys.stderr, flush=True)

    def measure(self):
        core = self.options.core
        for work, targets, others in works():
            compared = [peer for peer in targets if peer != "fastest"]
            for peer in others:
                if peer not in compared and self.wanted(peer, work):
                    self.attempt(peer, work, lambda: time_work(peer, work, core))
            for peer in compared:
                wanted = [who for who in (peer, "wavetrain") if self.wanted(who, work)]
                for _ in range(2 if self.options.fresh else 1):
                    for who in wanted:
                        self.attempt(who, work, lambda: time_work(who, work, core))
        self.measure_trainings()

    def measure_trainings(self):
        import trainings

        core = self.options.core
        for work in SHIFTS.values():
            if self.wanted("wavetrain", work):
                self.attempt("wavetrain", work, lambda: time_work("wavetrain", work, core))
        for workers in (1, 2):
            peer = f"tfq, {workers} process{'es' if workers > 1 else ''}"
            if self.wanted(peer, EPOCH):
                self.attempt(peer, EPOCH, lambda: time_epoch_tfq(workers))
        for precision in EPOCH_TARGETS:
            work = EPOCH._replace(precision=precision)
            if self.wanted("wavetrain", work):
                self.attempt("wavetrain", work, lambda: trainings.epoch(precision))

    def rows(self):
        for work, targets, others in works():
            for peer, target in targets.items():
                if peer == "fastest":
                    peer = self.store.fastest(work, [*targets, *others])
                    if peer in targets:
                        # The row above is the same comparison: only its target may be lower.
                        continue
                yield self.row(work, peer, work, target)
        for qubits, work in SHIFTS.items():
            forward = Work("forward", "qcnn", qubits, BATCHES[qubits])
            yield self.row(work, self.store.fastest(forward), forward, SHIFT_TARGET)
        peer = self.store.fastest(EPOCH)
        for precision, target in EPOCH_TARGETS.items():
            yield self.row(EPOCH._replace(precision=precision), peer, EPOCH, target)

    def row(self, work, peer, theirs, target):
        """One comparison; what has not been measured is null."""
        ours = self.store.find("wavetrain", work)
        other = self.store.find(peer, theirs) if peer else None
        value = results.seconds(ours) if ours else None
        peer_value = results.seconds(other) if other else None
        checks = [entry.get("values_agree") for entry in (ours, other) if entry]
        return {
            "name": work.name,
            "value": value,
            "unit": "s",
            "peer": peer,
            "peer_value": peer_value,
            "ratio": peer_value / value if value and peer_value else None,
            "target": f"≥ {target}×" if target else None,
            "agree": None if None in checks or not checks else all(checks),
        }


def show(rows):
    def number(value, suffix=""):
        return "–" if value is None else f"{value:.3g}{suffix}"

    cells = [("measure", "seconds", "peer", "peer's", "ratio", "target", "numbers")]
    for row in rows:
        cells.append(
            (
                row["name"],
                number(row["value"]),
                row["peer"] or "–",
                number(row["peer_value"]),
                number(row["ratio"], "×"),
                row["target"] or "–",
                {True: "agree", False: "DIFFER", None: "–"}[row["agree"]],
            )
        )
    widths = [max(map(len, column)) for column in zip(*cells)]
    for line in cells:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip())


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", action="store_true")
    measured = parser.add_mutually_exclusive_group()
    for name in ("--fresh", "--stored", "--peers-only", "--ours-only"):
        measured.add_argument(name, action="store_true")
    parser.add_argument("--only", default="", help="measures whose name and peer match")
    parser.add_argument("--core", type=int, default=0)
    options = parser.parse_args()
    if not options.stored:
        environments.enter("simulators")
    table = Table(options)
    if not options.stored:
        table.measure()
    rows = list(table.rows())
    whole = json.dumps({"machine": table.store.machine, "rows": rows})
    if not options.stored:
        results.replace(os.path.join(environments.FOLDER, "table.json"), whole)
    if options.json:
        print(whole)
    else:
        machine = table.store.machine
        print(", ".join(f"{name}: {value}" for name, value in machine.items()))
        show(rows)


if __name__ == "__main__":
    main()
