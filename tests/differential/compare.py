"""Compares the program with Cirq, Qiskit and PennyLane on random circuits; prints a summary.

Runs in the virtual environment that run.py makes.
"""

import argparse
import collections
import dataclasses
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np

import circuits
import peer_cirq
import peer_pennylane
import peer_qiskit

PEERS = {"Cirq": peer_cirq, "Qiskit": peer_qiskit, "PennyLane": peer_pennylane}
METHODS = ("adjoint", "parameter_shift", "finite_difference")
# Absolute differences; finite differences have an error of their own.
TOLERANCES = {
    "expectations": 1e-10,
    "amplitudes": 1e-10,
    "adjoint": 1e-10,
    "parameter_shift": 1e-10,
    "finite_difference": 1e-8,
}
# So many failing circuits are reduced: each takes the time of some ten circuits.
EXPLAINED = 3
# Between the expectations that come with our three gradients.
SAME = 1e-12
# What a launcher or the user may have left in the environment, and what changes the program.
HIDDEN = ("OMPI_", "PMI", "PRTE_", "SLURM_", "OMP_", "WAVETRAIN_")
# A rank alone needs no network; not to look for one halves the time of a start.
ALONE = {"OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "self"}


class Refused(Exception):
    """The program did not end with 0."""


def start(command):
    """Runs the program; what it writes on stdout."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith(HIDDEN)}
    clean.update(ALONE)
    done = subprocess.run(
        command, capture_output=True, text=True, env=clean, stdin=subprocess.DEVNULL, timeout=120
    )
    if done.returncode != 0:
        raise Refused(f"exit code {done.returncode}: {done.stderr[-1000:]}")
    return done.stdout


def check_table(program):
    """The generator must know every row of the program's gate table, as it is there."""
    for row in json.loads(start([program, "gates", "--json"]))["gates"]:
        operands = None if row["targets"] < 0 else row["controls"] + row["targets"]
        expected = (len(row["angles"]), operands)
        if circuits.TABLE.get(row["name"]) != expected:
            raise SystemExit(f"circuits.TABLE lacks {row['name']} with angles, operands {expected}")


def simulate(program, folder, circuit, method, amplitudes):
    """What the program says: expectations, gradients as an array, amplitudes if asked for."""
    path = os.path.join(folder, f"circuit_{circuit.seed}.qasm")
    with open(path, "w") as file:
        file.write(circuit.qasm())
    command = [program, "simulate", path, "--json", "--threads", "1", "--gradient", method]
    command += ["--amplitudes"] if amplitudes else []
    for binding in circuit.bindings():
        command += ["--bind", binding]
    for observable in circuit.observables:
        command += ["--observe", circuits.observable_text(observable)]
    said = json.loads(start(command))
    columns = []  # one a symbol: the derivatives of all observables
    for name, length in circuit.arrays:
        gradient = np.array(said["gradients"][name])
        columns += [gradient] if length is None else list(gradient.T)
    result = {"expectations": said["expectations"], method: np.array(columns).T}
    if amplitudes:
        result["amplitudes"] = np.array([complex(*pair) for pair in said["amplitudes"]])
    return result


def largest(ours, theirs):
    """The largest absolute difference; infinite where shapes differ or a number is none."""
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    if ours.shape != theirs.shape:
        return float("inf")
    difference = float(np.max(np.abs(ours - theirs), initial=0.0))
    return difference if np.isfinite(difference) else float("inf")


def differences(program, folder, circuit, wrong=0.0):
    """(peer, quantity) -> largest difference. `wrong` is added to every expectation of ours."""
    ours = {}
    for method in METHODS:
        result = simulate(program, folder, circuit, method, amplitudes=method == "adjoint")
        result["expectations"] = np.array(result["expectations"]) + wrong
        if "expectations" in ours:
            if largest(ours["expectations"], result["expectations"]) > SAME:
                raise Refused(f"{method} gives other expectations than adjoint")
            del result["expectations"]
        ours.update(result)
    found = {}
    for name, peer in PEERS.items():
        theirs = peer.evaluate(circuit)
        for quantity in ("expectations", "amplitudes"):
            found[name, quantity] = largest(ours[quantity], theirs[quantity])
        if "gradients" in theirs:
            for method in METHODS:
                found[name, method] = largest(ours[method], theirs["gradients"])
    return found


def bad(found):
    return {key: value for key, value in found.items() if value > TOLERANCES[key[1]]}


def shrink(fails, circuit):
    """The circuit without every operation that it can lose and still fail."""
    number = 0
    while number < len(circuit.operations) and len(circuit.operations) > 1:
        left = circuit.operations[:number] + circuit.operations[number + 1 :]
        smaller = dataclasses.replace(circuit, operations=left)
        if fails(smaller):
            circuit = smaller
        else:
            number += 1
    return circuit


def verdict(program, circuit, wrong):
    """The differences of a circuit, and what of them is wrong."""
    warnings.simplefilter("ignore")  # the peers' own, about NumPy and SciPy
    with tempfile.TemporaryDirectory(prefix="wavetrain-test-") as folder:
        try:
            found = differences(program, folder, circuit, wrong)
            return found, bad(found)
        except Refused as refused:
            return {}, {("the program", "refused"): str(refused)}


def examine(task):
    """One circuit, by number: its gates, differences, and what is wrong."""
    program, seed, wrong = task
    circuit = circuits.random_circuit(seed)
    gates = [operation.gate for operation in circuit.operations]
    try:
        return seed, gates, *verdict(program, circuit, wrong)
    except Exception as error:  # a peer's, for example
        raise RuntimeError(f"circuit {seed} cannot be compared") from error


def explain(options, seed, wrongs):
    """Prints the smallest circuit that fails in the same way; writes it to the failures' folder."""
    small = shrink(
        lambda candidate: set(wrongs) & set(verdict(options.program, candidate, options.wrong)[1]),
        circuits.random_circuit(seed),
    )
    os.makedirs(options.failures, exist_ok=True)
    with open(os.path.join(options.failures, f"circuit_{seed}.qasm"), "w") as file:
        file.write(small.qasm())
    print(f"\ncircuit {seed}, reduced to what still fails:\n{small.qasm()}")
    for binding in small.bindings():
        print(f"--bind {binding}")
    for observable in small.observables:
        print(f'--observe "{circuits.observable_text(observable)}"')


def table(worst, counts):
    lines = ["peer               quantity            circuits  largest difference  in circuit"]
    for (name, quantity), (value, seed) in worst.items():
        count = counts[name, quantity]
        row = f"{PEERS[name].NAME:<18} {quantity:<18} {count:>9} {value:>19.1e}  {seed:>10}"
        lines.append(row)
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True)
    parser.add_argument("--circuits", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0, help="number (seed) of the first circuit")
    parser.add_argument("--jobs", type=int, default=2, help="circuits at a time")
    parser.add_argument("--failures", default="failures", help="folder for circuits that fail")
    parser.add_argument(
        "--wrong", type=float, default=0.0, help="added to our expectations: the test must fail"
    )
    options = parser.parse_args()

    check_table(options.program)
    begin = time.monotonic()
    worst, counts, gates = {}, collections.Counter(), collections.Counter()
    failed = {}
    seeds = range(options.first, options.first + options.circuits)
    tasks = [(options.program, seed, options.wrong) for seed in seeds]
    with multiprocessing.get_context("spawn").Pool(options.jobs) as pool:
        for seed, used, found, wrongs in pool.imap(examine, tasks):
            gates.update(used)
            if (seed + 1 - options.first) % 100 == 0:
                print(f"{seed + 1 - options.first} circuits", flush=True)
            for key, value in found.items():
                counts[key] += 1
                if key not in worst or value > worst[key][0]:
                    worst[key] = (value, seed)
            if wrongs:
                failed[seed] = wrongs
                pieces = [f"{peer} {what}: {value}" for (peer, what), value in wrongs.items()]
                print(f"circuit {seed}: {'; '.join(pieces)}", flush=True)

    print(table(worst, counts))
    rarest = min(circuits.TABLE, key=lambda name: gates[name])
    print(f"{sum(gates.values())} gates; the rarest: {rarest}, {gates[rarest]} times")
    print(f"{options.circuits} circuits, {len(failed)} wrong, {time.monotonic() - begin:.0f} s")
    for seed in list(failed)[:EXPLAINED]:
        explain(options, seed, failed[seed])
    if options.circuits >= 1000 and not gates[rarest]:
        print(f"{rarest} never occurs")
        return 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
