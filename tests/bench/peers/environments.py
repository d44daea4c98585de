"""The virtual environments of the peers, below build/peers: made when they are first needed.

environments.py           makes both
"""

import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "../../.."))
FOLDER = os.environ.get("WAVETRAIN_PEERS", os.path.join(ROOT, "build", "peers"))

# TensorFlow Quantum asks for versions that the others are past.
ENVIRONMENTS = ("tfq", "simulators")


def _read(path):
    with open(path) as file:
        return file.read()


def python(name):
    """The Python of an environment that holds the packages of requirements-NAME.txt."""
    wanted = os.path.join(HERE, f"requirements-{name}.txt")
    folder = os.path.join(FOLDER, name)
    program = os.path.join(folder, "bin", "python")
    stamp = os.path.join(folder, "requirements.txt")
    if os.path.exists(stamp) and _read(stamp) == _read(wanted):
        return program
    print(f"installing {folder}", file=sys.stderr)
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    install = [program, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*install, "--only-binary", ":all:", "--requirement", wanted], check=True)
    shutil.copy(wanted, stamp)  # last: an environment without it is not whole
    return program


def enter(name):
    """Goes on in the environment: starts the running script again unless it is there already."""
    program = python(name)
    if os.path.realpath(sys.prefix) != os.path.realpath(os.path.join(FOLDER, name)):
        os.execv(program, [program, *sys.argv])


if __name__ == "__main__":
    for environment in ENVIRONMENTS:
        python(environment)
