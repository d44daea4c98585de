"""Tests of scripts/: deps.sh with pretended package tools, mpirun.sh with a pretended mpirun."""

import os
import shutil
import subprocess
import tempfile
import unittest

SCRIPTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts")


class Scripts(unittest.TestCase):
    """Each test gets a folder of pretended programs, first in PATH, that log their calls."""

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.log = os.path.join(self.folder, "calls")
        open(self.log, "w").close()

    def program(self, name, body):
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.write(f'#!/bin/bash\necho "{name} $*" >> {self.log}\n{body}\n')
        os.chmod(path, 0o755)

    def run_script(self, name, *arguments, path=None, **variables):
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("OMPI_", "PRTE_"))}
        clean.update(variables, PATH=path or self.folder + ":" + os.environ["PATH"])
        return subprocess.run(
            [os.path.join(SCRIPTS, name), *arguments],
            env=clean,
            text=True,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=60,
        )

    def calls(self):
        with open(self.log) as file:
            return file.read()

    def pretend_packages(self, missing, user=0):
        """dpkg-query knows every package but `missing`; apt-get install makes them appear."""
        tests = " ".join(
            f'[ "$4" = {name} ] && [ ! -e {self.folder}/done ] && exit 1;' for name in missing
        )
        self.program("dpkg-query", f"{tests} echo installed")
        self.program("apt-get", f'[ "$1" = install ] && touch {self.folder}/done; exit 0')
        self.program("id", f"echo {user}")

    def test_nothing_missing_calls_no_apt(self):
        self.pretend_packages([])
        done = self.run_script("deps.sh")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("apt-get", self.calls())
        self.assertEqual(done.stderr, "")
        self.assertEqual(done.stdout.count("\n"), 1)

    def test_installs_only_what_is_missing_and_only_once(self):
        self.pretend_packages(["catch2", "libssl-dev"])
        done = self.run_script("deps.sh")
        self.assertEqual(done.returncode, 0, done.stderr)
        installs = [line for line in self.calls().split("\n") if line.startswith("apt-get install")]
        self.assertEqual(len(installs), 1)
        self.assertTrue(installs[0].endswith("--no-install-recommends libssl-dev catch2"), installs)
        self.assertEqual(self.calls().count("apt-get update"), 1)
        again = self.run_script("deps.sh")
        self.assertEqual(again.returncode, 0)
        self.assertEqual(self.calls().count("apt-get"), 2)

    def test_user_with_sudo(self):
        self.pretend_packages(["catch2"], user=1000)
        self.program("sudo", 'while [ "${1#-}" != "$1" ]; do shift; done; "$@"')
        done = self.run_script("deps.sh")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("sudo -n apt-get update", self.calls())
        self.assertIn("apt-get install", self.calls())

    def test_user_without_sudo_learns_what_is_missing(self):
        self.pretend_packages(["catch2", "git"], user=1000)
        for name in ("bash", "grep", "env"):
            os.symlink(shutil.which(name), os.path.join(self.folder, name))
        done = self.run_script("deps.sh", path=self.folder)
        self.assertEqual(done.returncode, 1)
        self.assertIn("git catch2", done.stderr)
        self.assertNotIn("apt-get", self.calls())

    def test_failed_installation_fails_and_shows_why(self):
        self.pretend_packages(["catch2"])
        self.program("apt-get", "echo no such archive; exit 100")
        done = self.run_script("deps.sh")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no such archive", done.stderr)

    def test_packages_of_tests_only_when_asked_and_without_their_services(self):
        self.pretend_packages(["slurmctld", "openssh-server"])
        policy = os.path.join(self.folder, "policy-rc.d")
        self.program("apt-get", f"[ \"$1\" = install ] && cat {policy} >> {self.log}; exit 0")
        done = self.run_script("deps.sh", WAVETRAIN_POLICY=policy)
        self.assertEqual((done.returncode, self.calls().count("apt-get")), (0, 0))
        done = self.run_script("deps.sh", "tests", WAVETRAIN_POLICY=policy)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("--no-install-recommends slurmctld openssh-server\n#!/bin/sh\nexit 101\n", self.calls())
        self.assertFalse(os.path.exists(policy))

    def test_a_policy_that_is_there_stays(self):
        self.pretend_packages(["munge"])
        policy = os.path.join(self.folder, "policy-rc.d")
        with open(policy, "w") as file:
            file.write("mine")
        self.run_script("deps.sh", "tests", WAVETRAIN_POLICY=policy)
        with open(policy) as file:
            self.assertEqual(file.read(), "mine")

    def test_tests_run_without_packages_that_cannot_be_installed(self):
        self.pretend_packages(["clang"])
        self.program("apt-get", "exit 100")
        policy = os.path.join(self.folder, "policy-rc.d")
        done = self.run_script("deps.sh", "tests", WAVETRAIN_POLICY=policy)
        self.assertEqual(done.returncode, 0)
        self.assertIn("tests that need these packages are skipped", done.stderr)
        self.assertFalse(os.path.exists(policy))

    def mpirun_environment(self, user, cores, *arguments, **variables):
        self.program("id", f"echo {user}")
        self.program("nproc", f"echo {cores}")
        self.program("mpirun", "env")
        done = self.run_script("mpirun.sh", *arguments, **variables)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("mpirun " + " ".join(arguments), self.calls())
        return dict(line.split("=", 1) for line in done.stdout.split("\n") if "=" in line)

    def test_mpirun_allows_root_only_for_root(self):
        for user, allowed in ((0, True), (1000, False)):
            environment = self.mpirun_environment(user, 2, "-n", "2", "program")
            self.assertEqual("OMPI_ALLOW_RUN_AS_ROOT" in environment, allowed)
            self.assertEqual("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM" in environment, allowed)

    def test_mpirun_yields_only_with_more_ranks_than_cores(self):
        for ranks, yields in (("2", False), ("3", True)):
            environment = self.mpirun_environment(0, 2, "-n", ranks, "program")
            self.assertEqual("OMPI_MCA_mpi_yield_when_idle" in environment, yields)

    def test_mpirun_keeps_what_the_user_set(self):
        environment = self.mpirun_environment(
            0, 1, "-n", "4", "program", OMPI_MCA_mpi_yield_when_idle="0"
        )
        self.assertEqual(environment["OMPI_MCA_mpi_yield_when_idle"], "0")


if __name__ == "__main__":
    unittest.main()
