"""Wavetrain itself, by its command line: `bench circuit` for times, `simulate` for values."""

import json
import os
import subprocess
import tempfile

import numpy as np

from circuits import PROGRAM


def run(*arguments, program=PROGRAM):
    """What the program prints with --json."""
    # Without a launcher's daemon: starting it would take longer than a small circuit.
    alone = {"OMPI_MCA_ess_singleton_isolated": "1", "OMPI_MCA_pml": "ob1"}
    done = subprocess.run(
        [program, *map(str, arguments), "--json"],
        capture_output=True,
        text=True,
        env={**os.environ, **alone},
    )
    if done.returncode != 0:
        raise SystemExit(f"wavetrain {arguments[0]}: {done.stderr.strip()[-2000:]}")
    return json.loads(done.stdout)


def version():
    found = run("--version")
    return f"{found['version']} ({found['commit']})"


def _options(circuit, member=0, summed=False):
    words = circuit.observables()
    words = [" + ".join(words)] if summed else words
    options = [part for word in words for part in ("--observe", word)]
    return options + [part for text in circuit.bindings(member) for part in ("--bind", text)]


def _what(what):
    """Options of what is asked for: a shift is one execution of the parameter-shift rule."""
    method = "parameter_shift" if what == "shift" else "adjoint"
    return [] if what == "forward" else ["--gradient", method]


def time_circuit(circuit, what, batch, repeat):
    """The report of `wavetrain bench circuit` on one thread, in single precision."""
    asked = "forward" if what == "forward" else "gradient"
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, f"{circuit.name}.qasm")
        with open(path, "w") as file:
            file.write(circuit.qasm())
        vary = ["--vary", circuit.datum] if circuit.datum else []
        report = run(
            *("bench", "circuit", path, "--what", asked, *_what(what), *_options(circuit), *vary),
            *("--batch", batch, "--repeat", repeat, "--precision", "single", "--threads", 1),
        )
    if what == "shift":
        report["seconds_per_circuit"] /= circuit.shifts
    return report


def values(circuit, what, batch, precision="double"):
    """The sum of the observables for each member; their gradient, summed over the members."""
    found, total = [], np.zeros(len(circuit.symbols))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, f"{circuit.name}.qasm")
        with open(path, "w") as file:
            file.write(circuit.qasm())
        gradient = _what(what)
        for member in range(batch):
            options = _options(circuit, member, summed=True)
            result = run("simulate", path, *options, *gradient, "--precision", precision)
            found.append(result["expectations"][0])
            if gradient:
                total += [result["gradients"][name][0] for name in circuit.symbols]
    return np.array(found), None if what == "forward" else total
