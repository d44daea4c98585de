"""What the documents and configs promise: links lead somewhere, code runs, configs train."""

import glob
import os
import re
import shutil
import subprocess
import sys
import unittest

import support


def documents():
    return sorted(
        glob.glob(os.path.join(support.ROOT, "*.md"))
        + glob.glob(os.path.join(support.ROOT, "docs", "**", "*.md"), recursive=True)
    )


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class Documents(support.AppTest):
    def test_links_lead_somewhere(self):
        for path in documents():
            for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text_of(path)):
                if "://" not in target and not target.startswith("mailto:"):
                    full = os.path.join(os.path.dirname(path), target)
                    self.assertTrue(os.path.exists(full), f"{path}: {target}")

    def test_named_files_exist(self):
        for path in documents():
            for name in re.findall(
                r"`((?:configs|docs|scripts|tests|src|include)/[\w./-]+\.\w+)`", text_of(path)
            ):
                self.assertTrue(os.path.exists(os.path.join(support.ROOT, name)), f"{path}: {name}")

    def test_python_code_runs_beside_a_run(self):
        os.makedirs(self.path("runs"))
        self.succeed("train", self.small(output="runs/qcnn_hybrid", train={"epochs": 3}), "--quiet")
        blocks = re.findall(
            r"```python\n(.*?)```", text_of(os.path.join(support.ROOT, "docs", "python.md")), re.S
        )
        self.assertTrue(blocks)
        for block in blocks:
            done = subprocess.run(
                [sys.executable, "-c", block],
                cwd=self.folder,
                text=True,
                timeout=60,
                capture_output=True,
            )
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("epoch", done.stdout)
            self.assertIn("qconv10", done.stdout)


class Configs(support.AppTest):
    def configs(self):
        return sorted(glob.glob(os.path.join(support.ROOT, "configs", "*.toml")))

    def test_every_config_trains(self):
        self.assertGreaterEqual(len(self.configs()), 4)
        for path in self.configs():
            with self.subTest(os.path.basename(path)):
                name = os.path.basename(path)[:-5]
                self.assertIn(f'folder = "runs/{name}"', text_of(path))
                folder = self.path(name)
                settings = ["train.epochs=1", f"output.folder={folder}"]
                # A benchmark's thousand samples: one round of them is enough here.
                if name.startswith("headline_"):
                    settings += ["data.rounds=1", "data.train_count=8"]
                chosen = [word for setting in settings for word in ("--set", setting)]
                self.succeed("train", path, "--quiet", *chosen, ranks=2)
                self.assertTrue(os.path.exists(os.path.join(folder, "weights.h5")))

    def test_training_learns(self):
        """The main example, whole: far better than guessing on data it has not seen."""
        config = os.path.join(support.ROOT, "configs", "qcnn_hybrid.toml")
        self.succeed(
            "train", config, "--quiet", "--set", f"output.folder={self.path('run')}", ranks=2
        )
        values = support.epoch_values(self.path("run"), "val_accuracy")
        self.assertEqual(len(values), 50)
        self.assertGreater(values[-1], 0.9)
        shutil.rmtree(self.path("run"))


class Install(support.AppTest):
    def test_installed_program_runs_from_anywhere(self):
        build = os.environ.get("WAVETRAIN_BUILD")
        if not build:
            self.skipTest("WAVETRAIN_BUILD names no build folder")
        prefix = self.path("prefix")
        subprocess.run(
            ["cmake", "--install", build, "--prefix", prefix], check=True, capture_output=True
        )
        program = os.path.join(prefix, "bin", "wavetrain")
        config = os.path.join(prefix, "share", "wavetrain", "configs", "qcnn_hybrid.toml")
        for command in (
            [program, "--version"],
            [
                program,
                "train",
                config,
                "--quiet",
                "--set",
                "train.epochs=1",
                "--set",
                "model.qubits=4",
            ],
        ):
            done = subprocess.run(
                command,
                cwd=self.folder,
                text=True,
                capture_output=True,
                timeout=60,
                env=support.environment(),
            )
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(os.path.exists(self.path("runs", "qcnn_hybrid", "weights.h5")))
        installed = [name for _, _, names in os.walk(prefix) for name in names]
        for name in ("LICENSE", "README.md", "running.md", "mpirun.sh"):
            self.assertIn(name, installed)


if __name__ == "__main__":
    unittest.main()
