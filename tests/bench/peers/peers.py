"""Times one circuit on one simulator, on one core, and checks its numbers; prints one line of JSON.

peers.py --what forward|gradient|shift --circuit qcnn --qubits 8 --batch 64 --peer jax --repeat 5

A shift is one execution of Wavetrain's parameter-shift gradient.
Times are those of the fastest of the repetitions. CPU seconds leave out the waiting for a core that
others use too. The numbers agree where they equal those of `wavetrain simulate` in double
precision.
"""

import argparse
import datetime
import importlib
import importlib.metadata
import json
import os
import sys
import time

import environments

GROUPS = {
    "tfq": "tfq",
    **{
        name: "simulators"
        for name in ("qsim", "lightning", "qulacs", "mindquantum", "aer", "jax", "wavetrain")
    },
}
# A first call that takes longer than this is a measurement, not a rehearsal; what has taken longer
# than the second is not repeated any more.
REHEARSAL_SECONDS = 5.0
PATIENCE_SECONDS = 20.0
# Single precision, and gradients by differences of angles (TensorFlow Quantum): relative to the
# number of observed qubits and to the largest entry of the gradient.
VALUE_TOLERANCE = 1e-4
# Larger states would not fit into a usual machine in double precision.
LARGEST_DOUBLE = 28
GRADIENT_TOLERANCE = 5e-3


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--what", choices=("forward", "gradient", "shift"), required=True)
    parser.add_argument("--circuit", default="qcnn")
    parser.add_argument("--qubits", type=int, required=True)
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--peer", choices=sorted(GROUPS), required=True)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--core", type=int, default=0, help="which core to stay on")
    parser.add_argument("--no-check", action="store_true", help="do not compare the numbers")
    return parser.parse_args()


def reference(circuit, what, batch):
    """Wavetrain's numbers, kept in build/peers/values."""
    import numpy as np

    import peer_wavetrain

    folder = os.path.join(environments.FOLDER, "values")
    path = os.path.join(folder, f"{circuit.name}_{circuit.qubits}_{what}_{batch}.json")
    text = circuit.qasm()
    if os.path.exists(path):
        with open(path) as file:
            kept = json.load(file)
        if kept["circuit"] == text and kept["data"] == circuit.data(batch).tolist():
            gradient = kept["gradient"]
            return np.array(kept["values"]), None if gradient is None else np.array(gradient)
    precision = "double" if circuit.qubits <= LARGEST_DOUBLE else "single"
    values, gradient = peer_wavetrain.values(circuit, what, batch, precision)
    os.makedirs(folder, exist_ok=True)
    kept = {
        "circuit": text,
        "data": circuit.data(batch).tolist(),
        "values": values.tolist(),
        "gradient": None if gradient is None else gradient.tolist(),
    }
    with open(path + ".part", "w") as file:
        json.dump(kept, file)
    os.replace(path + ".part", path)
    return values, gradient


def compare(circuit, what, batch, found):
    """Differences to the reference (by the adjoint), and whether they are within the tolerances."""
    import numpy as np

    what = "forward" if what == "forward" else "gradient"

    values, gradient = found
    wanted_values, wanted_gradient = reference(circuit, what, batch)
    agree, differences = True, {}
    if values is not None:
        largest = float(np.abs(values - wanted_values).max())
        differences["largest_difference"] = largest
        agree = agree and largest <= VALUE_TOLERANCE * len(circuit.observed)
    if gradient is not None:
        scale = float(np.abs(wanted_gradient).max())
        largest = float(np.abs(gradient - wanted_gradient).max()) / scale
        differences["largest_gradient_difference"] = largest
        agree = agree and largest <= GRADIENT_TOLERANCE
    return {"values_agree": bool(agree), **differences}


def fastest(call, repeat):
    """Wall and CPU seconds of the fastest call, seconds of the first, and the last result."""
    walls, cpus, result = [], [], None
    while len(walls) < repeat + 1:
        wall, cpu = time.perf_counter(), time.process_time()
        result = call()
        walls.append(time.perf_counter() - wall)
        cpus.append(time.process_time() - cpu)
        if len(walls) == repeat and cpus[0] > REHEARSAL_SECONDS:
            break
        if len(walls) > 1 and sum(cpus) > PATIENCE_SECONDS:
            break
    return min(walls), min(cpus), walls[0], result


def measure_peer(options, circuit):
    module = importlib.import_module(f"peer_{options.peer}")
    choices = [{"fused": fused} for fused in getattr(module, "FUSED", ())] or [{}]
    best = None
    for choice in choices:
        call = module.prepare(circuit, options.what, options.batch, **choice)
        wall, cpu, first, found = fastest(call, options.repeat)
        if best is None or cpu < best[1]:
            best = (wall, cpu, first, found, choice, getattr(call, "compile_seconds", None))
    wall, cpu, first, found, choice, compile_seconds = best
    report = {
        "seconds_per_circuit": wall / options.batch,
        "cpu_seconds_per_circuit": cpu / options.batch,
        "compile_seconds": max(0.0, first - wall) if compile_seconds is None else compile_seconds,
        "precision": module.PRECISION,
        "version": ", ".join(importlib.metadata.version(name) for name in module.PACKAGES),
        **choice,
    }
    return report, found


def measure_wavetrain(options, circuit):
    import peer_wavetrain

    report = peer_wavetrain.time_circuit(circuit, options.what, options.batch, options.repeat)
    report.update(precision="single", version=peer_wavetrain.version())
    if options.no_check:
        return report, None
    return report, peer_wavetrain.values(circuit, options.what, options.batch, "single")


def main():
    options = parse()
    environments.enter(GROUPS[options.peer])
    os.sched_setaffinity(0, {options.core})
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"
    import circuits

    circuit = circuits.CIRCUITS[options.circuit](options.qubits)
    if options.what == "shift" and options.peer != "wavetrain":
        raise SystemExit("only Wavetrain's shifts are timed")
    measure = measure_wavetrain if options.peer == "wavetrain" else measure_peer
    report, found = measure(options, circuit)
    checked = {"values_agree": None}
    if not options.no_check:
        checked = compare(circuit, options.what, options.batch, found)
    line = {
        "name": f"{options.what} {options.circuit} {options.qubits}",
        "peer": options.peer,
        "what": options.what,
        "circuit": options.circuit,
        "qubits": options.qubits,
        "batch": options.batch,
        "repeat": options.repeat,
        **report,
        **checked,
        "core": options.core,
        "load": os.getloadavg()[0],
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
    }
    print(json.dumps(line))
    return 1 if checked["values_agree"] is False else 0


if __name__ == "__main__":
    sys.exit(main())
