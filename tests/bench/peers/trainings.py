"""Wavetrain's side of the measures that are trainings: seconds from metrics.jsonl."""

import datetime
import json
import os
import subprocess
import tempfile

from circuits import PROGRAM, ROOT, qcnn

SHIFT_CONFIG = """
[model]
kind = "qcnn"
qubits = {qubits}
[data]
source = "excitations"
rounds = {rounds}
train_count = {samples}
[train]
epochs = 3
batch_size = 32
[gradient]
method = "parameter_shift"
[engine]
precision = "single"
threads = 1
"""


def _train(command, config, *settings):
    """Seconds of the fastest epoch."""
    with tempfile.TemporaryDirectory() as folder:
        options = [f"output.folder={folder}/run", *settings]
        chosen = [word for option in options for word in ("--set", option)]
        done = subprocess.run(
            [*command, PROGRAM, "train", config, "--quiet", *chosen],
            capture_output=True,
            text=True,
        )
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip()[-1500:])
        with open(os.path.join(folder, "run", "metrics.jsonl")) as file:
            events = [json.loads(line) for line in file]
    now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
    seconds = [event["seconds"] for event in events if event["event"] == "epoch"]
    return {"seconds": min(seconds), "load": os.getloadavg()[0], "date": now}


def shift(qubits, core):
    """Seconds of one shifted execution: an epoch by parameter shift, over samples and shifts."""
    rounds = 64 // qubits
    samples = 7 * rounds * qubits // 8
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "shift.toml")
        with open(path, "w") as file:
            file.write(SHIFT_CONFIG.format(qubits=qubits, rounds=rounds, samples=samples))
        report = _train(["taskset", "-c", str(core)], path)
    report["seconds"] /= samples * 2 * qcnn(qubits).weighted_gates
    return report


def epoch(precision):
    """Seconds of the tutorial's epoch on two ranks."""
    launcher = [os.path.join(ROOT, "scripts", "mpirun.sh"), "-n", "2"]
    config = os.path.join(ROOT, "configs", "qcnn_hybrid.toml")
    return _train(launcher, config, f"engine.precision={precision}", "train.epochs=30")
