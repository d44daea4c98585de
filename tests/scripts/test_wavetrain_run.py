"""Tests of scripts/wavetrain-run with pretended launchers: signals, exit codes, going on."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

SCRIPT = os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts", "wavetrain-run"
)

# Logs every signal but KILL; ends with 75 at the USR1 whose number is $1, with 1 at a TERM.
LISTENER = """
count=0
trap 'echo USR1 >> log; count=$((count + 1)); [ $count -lt $1 ] || exit 75' USR1
trap 'echo TERM >> log; exit 1' TERM
for name in INT HUP; do trap "echo $name >> log" $name; done
echo up >> log
while :; do sleep 0.05; done
"""

# Run k takes line k of the file `script`: the exit code and the step of a new checkpoint, if any.
PLAYER = """
echo "$*" >> log
line=$(sed -n "$(wc -l < log)p" script)
read -r code step <<< "$line"
mkdir -p run/checkpoints
[ -z "$step" ] || touch "run/checkpoints/step-$(printf %08d "$step").h5"
exit "$code"
"""

# The program as far as the wrapper asks it: where the run's folder is.
PROGRAM = """
[ "$1" = plan ] || exit 9
echo "$*" >> asked
echo '[data]'; echo 'folder = "no"'; echo '[output]'; printf 'folder = "%s"\\n' "${SAID:-run}"
"""


class WavetrainRun(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="wavetrain-test-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        for name, text in (("listen", LISTENER), ("play", PLAYER), ("program", PROGRAM)):
            self.write(name, "#!/bin/bash\n" + text)
            os.chmod(os.path.join(self.folder, name), 0o755)

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w") as file:
            file.write(text)

    def log(self, name="log"):
        path = os.path.join(self.folder, name)
        if not os.path.exists(path):
            return []
        with open(path) as file:
            return file.read().split("\n")[:-1]

    def start(self, *arguments, **variables):
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("OMPI_", "PRTE_"))}
        process = subprocess.Popen(
            [SCRIPT, *arguments],
            cwd=self.folder,
            env={**clean, **variables},
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def run_script(self, *arguments, **variables):
        process = self.start(*arguments, **variables)
        out, said = process.communicate(timeout=60)
        return process.returncode, out, said

    def listening(self, *arguments):
        """The wrapper around a launcher that is up."""
        process = self.start(*arguments)
        deadline = time.monotonic() + 20
        while self.log() != ["up"]:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)
        return process

    def playing(self, *lines, arguments=(), options=("--resume-on-failure",)):
        """Runs the player with this script: (exit code, the commands run, what was said)."""
        self.write("script", "".join(line + "\n" for line in lines))
        code, _, said = self.run_script(
            *options, "./play", "./program", "train", "a.toml", *arguments
        )
        return code, self.log(), said

    def test_exit_code_and_output_are_the_commands_own(self):
        for code in (0, 1, 5, 75, 127, 205):
            got, out, said = self.run_script("bash", "-c", f"echo hello; exit {code}")
            self.assertEqual((got, out, said), (code, "hello\n", ""))

    def test_killed_launcher_is_137(self):
        self.assertEqual(self.run_script("bash", "-c", "kill -KILL $$")[0], 137)

    def test_missing_command(self):
        self.assertEqual(self.run_script("./nothing-of-this-name")[0], 127)

    def test_every_signal_becomes_usr1(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1):
            with self.subTest(number.name):
                process = self.listening("./listen", "1")
                process.send_signal(number)
                self.assertEqual(process.wait(timeout=20), 75)
                self.assertEqual(self.log(), ["up", "USR1"])
                os.remove(os.path.join(self.folder, "log"))

    def test_usr1_is_repeated_until_the_launcher_ends(self):
        process = self.listening("./listen", "3")
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(timeout=30), 75)
        self.assertEqual(self.log(), ["up", "USR1", "USR1", "USR1"])

    def test_many_terms_are_one(self):
        process = self.listening("./listen", "2")
        for _ in range(5):
            process.send_signal(signal.SIGTERM)
            time.sleep(0.05)
        self.assertEqual(process.wait(timeout=30), 75)
        self.assertEqual(self.log(), ["up", "USR1", "USR1"])

    def test_second_interrupt_stops_at_once(self):
        process = self.listening("./listen", "1000")
        process.send_signal(signal.SIGINT)
        time.sleep(0.2)  # two signals of one number at one moment are one
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=20), 1)
        self.assertEqual(self.log()[-1], "TERM")

    def test_terminal_interrupt_reaches_the_wrapper_only(self):
        """Ctrl-C goes to a whole process group; the launcher is in another."""
        code, out, _ = self.run_script("bash", "-c", "ps -o pgid= -p $$,$PPID")
        self.assertEqual(code, 0)
        self.assertEqual(len(set(out.split())), 2)

    def test_input_is_empty(self):
        """A launcher in the background that reads a terminal would be stopped."""
        self.assertEqual(self.run_script("cat")[:2], (0, ""))

    def test_settings(self):
        out = self.run_script("env")[1]
        for line in (
            "OMPI_MCA_oob_tcp_keepalive_time=5",
            "OMPI_MCA_oob_tcp_keepalive_intvl=2",
            "OMPI_MCA_oob_tcp_keepalive_probes=3",
            "OMPI_MCA_plm_rsh_args=-o ConnectTimeout=5 -o ConnectionAttempts=1"
            " -o ServerAliveInterval=3 -o ServerAliveCountMax=3",
            "PRTE_MCA_oob_tcp_keepalive_time=5",
        ):
            self.assertIn(line + "\n", out)

    def test_settings_of_the_user_stay(self):
        out = self.run_script("env", OMPI_MCA_oob_tcp_keepalive_time="60")[1]
        self.assertIn("OMPI_MCA_oob_tcp_keepalive_time=60\n", out)
        self.assertIn("OMPI_MCA_oob_tcp_keepalive_intvl=2\n", out)

    def test_goes_on_while_checkpoints_advance(self):
        code, runs, said = self.playing(
            "69 8", "75 9", "137 10", "205 100", "255 101", "0", arguments=["--overwrite"]
        )
        self.assertEqual(code, 0)
        self.assertEqual(runs[0], "./program train a.toml --overwrite")
        self.assertEqual(runs[1:], ["./program train a.toml --resume auto"] * 5)
        self.assertIn("exit code 205, newest checkpoint: step 100", said)

    def test_other_codes_end_it(self):
        for code in (1, 2, 3, 4, 5, 70, 134, 143):
            got, runs, _ = self.playing(f"{code} 5", "0")
            self.assertEqual((got, len(runs)), (code, 1))
            os.remove(os.path.join(self.folder, "log"))

    def test_gives_up_without_progress(self):
        code, runs, said = self.playing("69 5", "137 7", "69", "0")
        self.assertEqual((code, len(runs)), (69, 3))
        self.assertIn("without a newer checkpoint than step 7", said)

    def test_gives_up_without_any_checkpoint(self):
        code, runs, _ = self.playing("137", "255", "0")
        self.assertEqual((code, len(runs)), (255, 2))

    def test_without_the_option_nothing_runs_twice(self):
        code, runs, _ = self.playing("75 5", "0", options=())
        self.assertEqual((code, len(runs)), (75, 1))

    def test_resume_of_the_user_gives_way(self):
        for said in (["--resume", "old.h5"], ["--resume=never"]):
            _, runs, _ = self.playing("75 5", "0", arguments=[*said, "--quiet"])
            self.assertEqual(runs[-1], "./program train a.toml --quiet --resume auto")
            shutil.rmtree(os.path.join(self.folder, "run"))
            os.remove(os.path.join(self.folder, "log"))

    def test_never_after_a_signal_to_itself(self):
        process = self.listening(
            "--resume-on-failure", "--run-folder", "run", "./listen", "1", "train"
        )
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(timeout=20), 75)
        self.assertEqual(self.log(), ["up", "USR1"])

    def test_the_program_names_the_folder(self):
        self.playing("0", arguments=["--set", "train.epochs=3", "--threads", "2", "--json"])
        self.assertEqual(
            self.log("asked"), ["plan a.toml --set=train.epochs=3 --print-config --quiet --allow-singleton"]
        )

    def test_options_before_the_command(self):
        self.write("script", "75 5\n0\n")
        code, _, said = self.run_script(
            "--resume-on-failure", "./play", "./program", "--json", "train", "a.toml"
        )
        self.assertEqual(code, 0, said)
        self.assertEqual(self.log()[-1], "./program --json train a.toml --resume auto")

    def test_a_folder_of_any_name(self):
        """Quotes and backslashes come escaped, as in any TOML."""
        folder = 'a "run" of\\mine'
        os.mkdir(os.path.join(self.folder, folder))
        os.symlink(folder, os.path.join(self.folder, "run"))
        self.write("script", "75 5\n75 6\n69 7\n0\n")
        code, _, said = self.run_script(
            *("--resume-on-failure", "./play", "./program", "train", "a.toml"),
            SAID=folder.replace("\\", "\\\\").replace('"', '\\"'),
        )
        self.assertEqual(code, 0, said)

    def test_a_folder_that_is_given_is_not_asked_for(self):
        self.playing("0", options=("--resume-on-failure", "--run-folder=run"))
        self.assertEqual(self.log("asked"), [])

    def test_misuse_is_2(self):
        for arguments, reason in (
            ([], "what shall be run?"),
            (["--resume"], "unknown option --resume"),
            (["--run-folder"], "needs a folder"),
            (["--resume-on-failure", "mpirun", "prog"], "wavetrain train"),
            (["--resume-on-failure", "mpirun", "false", "train", "x"], "--run-folder"),
        ):
            code, _, said = self.run_script(*arguments)
            self.assertEqual(code, 2)
            self.assertIn(reason, said)


if __name__ == "__main__":
    unittest.main()
