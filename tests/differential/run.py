"""The differential test: makes a virtual environment with the pinned peers, runs compare.py in it.

Exit codes: 0 all equal, 1 a difference, 77 skipped because the peers cannot be installed.
"""

import argparse
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))
REQUIREMENTS = os.path.join(HERE, "requirements.txt")
SKIPPED = 77


def skip(reason):
    print(f"skipped: the peers cannot be installed: {reason.strip()[-1500:]}")
    sys.exit(SKIPPED)


def read(path):
    with open(path) as file:
        return file.read()


def environment(folder):
    """Python in a virtual environment that holds the pinned packages; made if it does not."""
    python = os.path.join(folder, "bin", "python")
    stamp = os.path.join(folder, "requirements.txt")
    if os.path.exists(stamp) and read(stamp) == read(REQUIREMENTS):
        return python
    shutil.rmtree(folder, ignore_errors=True)
    for command in (
        [sys.executable, "-m", "venv", folder],
        [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        + ["--only-binary", ":all:", "--requirement", REQUIREMENTS],
    ):
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=900)
        except (OSError, subprocess.TimeoutExpired) as error:
            skip(str(error))
        if done.returncode != 0:
            skip(done.stdout + done.stderr)
    shutil.copy(REQUIREMENTS, stamp)  # last: an environment without it is not whole
    return python


def main():
    build = os.environ.get("WAVETRAIN_DIFFERENTIAL", os.path.join(ROOT, "build"))
    parser = argparse.ArgumentParser(
        description=__doc__, epilog="Other options go to compare.py: --circuits N, --first N, …"
    )
    parser.add_argument("--environment", default=os.path.join(build, "venv-differential"))
    options, others = parser.parse_known_args()
    python = environment(options.environment)
    program = os.environ.get("WAVETRAIN_PROGRAM", os.path.join(ROOT, "build/release/wavetrain"))
    # One thread each: the circuits are small, and several are examined at a time.
    single = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}
    defaults = ["--program", program, "--failures", os.path.join(build, "differential-failures")]
    command = [python, os.path.join(HERE, "compare.py"), *defaults, *others]
    return subprocess.run(command, env={**os.environ, **single}).returncode


if __name__ == "__main__":
    sys.exit(main())
