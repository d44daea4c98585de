"""Wavetrain's side of the tutorial's epoch: seconds from metrics.jsonl."""

import datetime
import json
import os
import subprocess
import tempfile

from circuits import PROGRAM, ROOT


def epoch(precision):
    """Seconds of the fastest epoch on two ranks."""
    launcher = [os.path.join(ROOT, "scripts", "mpirun.sh"), "-n", "2"]
    config = os.path.join(ROOT, "configs", "qcnn_hybrid.toml")
    with tempfile.TemporaryDirectory() as folder:
        settings = [f"engine.precision={precision}", f"output.folder={folder}/run"]
        chosen = [word for setting in settings for word in ("--set", setting)]
        command = [*launcher, PROGRAM, "train", config, "--quiet", *chosen]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip()[-1500:])
        with open(os.path.join(folder, "run", "metrics.jsonl")) as file:
            events = [json.loads(line) for line in file]
    now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
    seconds = [event["seconds"] for event in events if event["event"] == "epoch"]
    return {"seconds": min(seconds), "load": os.getloadavg()[0], "date": now}
