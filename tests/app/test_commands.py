"""What the commands that train nothing print, for circuits and for configs."""

import glob
import json
import os
import unittest

import support

CIRCUIT = (
    'OPENQASM 3;\ninclude "wavetrain.inc";\ninput float theta;\nqubit[3] q;\n'
    "h q[0];\nrx(2*theta) q[1];\nctrl @ ry(pi/2) q[0], q[2];\nswap q[1], q[2];\n"
)


def configs():
    return sorted(glob.glob(os.path.join(support.ROOT, "configs", "*.toml")))


class CommandTest(support.AppTest):
    def json(self, *arguments, **options):
        return json.loads(self.succeed(*arguments, "--json", **options).stdout)


class Draw(CommandTest):
    def test_circuit(self):
        path = self.write("circuit.qasm", CIRCUIT)
        text = self.succeed("draw", path).stdout
        for label in ("circuit.qasm", "q0:", "q1:", "q2:", "H", "RX(2*theta)", "RY(π/2)", "●"):
            self.assertIn(label, text)
        drawings = self.json("draw", path)
        self.assertEqual(list(drawings), [path])
        self.assertIn(drawings[path].strip("\n"), text)

    def test_width(self):
        path = self.write("long.qasm", CIRCUIT + "h q[0]; rx(theta) q[0];\n" * 30)
        for width in (40, 72):
            lines = self.succeed("draw", path, "--width", width).stdout.splitlines()[1:]
            self.assertLessEqual(max(map(len, lines)), width)
            self.assertEqual("".join(lines).count("RX(theta)"), 30)
        lines = self.succeed("draw", path, "--width", 0).stdout.splitlines()
        self.assertGreater(max(map(len, lines)), 300)

    def test_configs(self):
        for config in configs():
            with self.subTest(config):
                drawings = self.json("draw", config)
                self.assertTrue(drawings)
                self.assertTrue(all("q0:" in drawing for drawing in drawings.values()))
        three = os.path.join(support.ROOT, "configs", "qcnn_hybrid_3filters.toml")
        self.assertEqual(list(self.json("draw", three)), ["pqc", "pqc_1", "pqc_2"])

    def test_refused(self):
        self.refuse(3, "draw", self.path("nowhere.qasm"), says="nowhere.qasm")
        self.refuse(2, "draw", self.write("bad.qasm", CIRCUIT + "h q[7];"), says="bad.qasm:9:")


class Plan(CommandTest):
    KEYS = {"ranks", "bytes_per_rank", "flops", "messages", "seconds", "executions"}

    def check(self, plan, ranks):
        self.assertEqual(set(plan), self.KEYS)
        self.assertEqual(plan["ranks"], ranks)
        self.assertGreater(plan["flops"], 0)
        self.assertGreater(plan["seconds"], 0)
        self.assertTrue(plan["executions"])
        for execution in plan["executions"]:
            self.assertLessEqual({"qubits", "count", "method"}, set(execution))

    def test_circuit(self):
        plan = self.json("plan", self.write("circuit.qasm", CIRCUIT))
        self.check(plan, 1)
        self.assertEqual(plan["bytes_per_rank"], 16 * 2**3)
        self.assertEqual(plan["messages"], 0)
        self.assertEqual([(e["qubits"], e["method"]) for e in plan["executions"]], [(3, "forward")])
        large = 'OPENQASM 3;\ninclude "stdgates.inc";\nqubit[40] q;\nh q;\n'
        plan = self.json("plan", self.write("large.qasm", large))
        self.assertEqual(plan["bytes_per_rank"], 16 * 2**40)

    def test_configs(self):
        for config in configs():
            with self.subTest(config):
                one, four = (self.json("plan", config, "--ranks", n) for n in (1, 4))
                self.check(one, 1)
                self.check(four, 4)
                self.assertEqual(one["messages"], 0)
                self.assertGreater(four["messages"], 0)
                self.assertEqual(one["flops"], four["flops"])
        config = os.path.join(support.ROOT, "configs", "qcnn_parameter_shift.toml")
        shift = self.json("plan", config)
        self.assertIn("parameter_shift", {e["method"] for e in shift["executions"]})

    def test_messages(self):
        """A step: an exchange of readouts, one of derivatives if a net drives a circuit, one sum."""
        tables = {"data": {"rounds": 4}, "train": {"batch_size": 5}}  # 11 samples train, 5 do not
        plan = self.json("plan", self.small(**tables), "--ranks", 3)
        self.assertEqual(plan["messages"], 3 * 2 + 2 + 2)
        three = self.small(model={"filters": 3}, **tables)
        self.assertEqual(self.json("plan", three, "--ranks", 3)["messages"], 3 * 2 + 2 + 2)
        driven = os.path.join(support.ROOT, "configs", "hybrid_driver.toml")
        plan = self.json("plan", driven, "--ranks", 3)  # 180 samples train, 20 a step
        self.assertEqual(plan["messages"], 9 * 3 + 2 + 2)

    def test_merged_executions_are_counted_once(self):
        rows = {"excited_qubit": [0, 1, 2, 3] * 6, "angle": [0.5] * 24, "label": [1.0] * 24}
        support.write_csv(self.path("data.csv"), rows)
        counts = {}
        for deduplicate in ("on", "off"):
            config = self.config(
                model={"kind": "qcnn", "qubits": 4},
                data={"source": "csv", "file": self.path("data.csv"), "train_count": 20},
                train={"epochs": 1, "batch_size": 20},
                engine={"deduplicate": deduplicate, "micro_batch": 2},
            )
            counts[deduplicate] = [
                (e["method"], e["count"], e["units"])
                for e in self.json("plan", config)["executions"]
            ]
        self.assertEqual(counts["on"], [("adjoint", 4, 2), ("forward", 8, 4)])
        self.assertEqual(counts["off"], [("adjoint", 20, 10), ("forward", 24, 12)])

    def test_nothing_is_simulated(self):
        """A state that fits nowhere can be planned: its bytes are what training would need."""
        config = self.small(
            model={"kind": "qcnn", "qubits": 50}, data={"rounds": 1}, engine={"light_cones": "off"}
        )
        plan = self.json("plan", config)
        self.assertGreaterEqual(plan["bytes_per_rank"], 16 * 2**50)

    def test_no_address_reaches_such_a_state(self):
        for qubits in (60, 63, 64, 1000000):
            text = f"OPENQASM 3;\nqubit[{qubits}] q;\n"
            self.refuse(3, "plan", self.write("large.qasm", text), says=f"2^{qubits + 4}")
        text = "OPENQASM 3;\nqubit[1000000] q;\nqubit[3] r;\n"
        self.refuse(2, "plan", self.write("large.qasm", text), says=("large.qasm:3:1", "1000003"))
        text = "OPENQASM 3;\nqubit q;\nbit[2000000000] c;\n"
        self.refuse(2, "plan", self.write("large.qasm", text), says=("large.qasm:3:1", "bits"))

    def test_memory_is_what_training_takes(self):
        """Two samples on one rank: in two units, or merged into one; a thread each, or all."""
        rows = {"excited_qubit": [0, 1, 2], "angle": [0.5] * 3, "label": [1.0, -1.0, 1.0]}
        support.write_csv(self.path("data.csv"), rows)

        def config(qubits, **engine):
            return self.config(
                model={"kind": "qcnn", "qubits": qubits},
                data={"source": "csv", "file": self.path("data.csv"), "train_count": 2},
                train={"epochs": 1, "batch_size": 2},
                engine={"light_cones": "off", "precision": "single", **engine},
                output={"folder": self.path("run")},
            )

        def peak(path, threads):
            command = [support.PROGRAM, "train", path, "--quiet", "--overwrite"]
            command += ["--threads", threads]
            child = os.posix_spawn(
                command[0], command, support.environment(**support.ALONE, MALLOC_ARENA_MAX="1")
            )
            _, status, usage = os.wait4(child, 0)
            self.assertEqual(status, 0)
            return usage.ru_maxrss * 1024

        def states(qubits):  # an adjoint's two, in single precision
            return 2 * 8 * 2**qubits

        wanted = {("1", 1): 1, ("2", 1): 2, ("3", 1): 1, ("64", 1): 1, ("2", 8): 1}
        for (threads, micro_batch), units in wanted.items():
            with self.subTest(threads=threads, micro_batch=micro_batch):
                peaks = []
                for qubits in (22, 23):
                    path = config(qubits, micro_batch=micro_batch)
                    plan = self.json("plan", path, "--threads", threads)
                    self.assertEqual(plan["bytes_per_rank"], units * states(qubits))
                    shared = self.json("plan", path, "--threads", threads, "--ranks", 2)
                    self.assertEqual(shared["bytes_per_rank"], states(qubits))
                    if threads != "64":
                        peaks.append(peak(path, threads))
                # The difference: the rest of the program is the same.
                if peaks:
                    more = units * (states(23) - states(22))
                    self.assertLess(abs(peaks[1] - peaks[0] - more), 0.15 * more)

    def test_printed_config_trains_to_the_same_weights(self):
        for model in ({"kind": "qcnn"}, {"kind": "qcnn_hybrid", "filters": 2}):
            for variant in ("tutorial", "tfq-multiworker"):
                with self.subTest(model=model, variant=variant):
                    config = self.small(model={"qubits": 4, "variant": variant, **model})
                    text = self.succeed("plan", config, "--print-config").stdout
                    self.assertIn('kind = "layers"', text)
                    found = self.json("plan", config, "--print-config")
                    self.assertEqual(found["config"].strip(), text.strip())
                    printed = self.write("printed.toml", text)
                    hashes = []
                    for path in (config, printed):
                        self.succeed(
                            "train", path, "--quiet", "--overwrite",
                            "--set", f"output.folder={self.path('run')}",
                        )  # fmt: skip
                        hashes.append(support.epoch_values(self.path("run"), "weights_sha256"))
                    self.assertEqual(hashes[0], hashes[1])


class Gradcheck(CommandTest):
    def test_every_config(self):
        for config in configs():
            with self.subTest(config):
                # A benchmark's circuits are too large for two runs per parameter.
                large = os.path.basename(config).startswith("headline_")
                small = ("--set", "model.qubits=6", "--set", "data.rounds=200") if large else ()
                found = self.json("gradcheck", config, *small)
                self.assertLess(found["largest_difference"], 1e-6)
                self.assertTrue(found["layers"])
                for layer in found["layers"]:
                    self.assertGreater(layer["derivatives"], 0)
                    self.assertLessEqual(layer["largest_difference"], found["largest_difference"])

    def test_losses_variants_and_ranks(self):
        for changes in (
            {"model": {"variant": "tfq-multiworker"}},
            {"train": {"loss": "mae"}},
            {"engine": {"execution": "eager"}},
        ):
            with self.subTest(changes):
                found = self.json("gradcheck", self.small(**changes))
                self.assertLess(found["largest_difference"], 1e-6)
        text = self.succeed("gradcheck", self.small(), ranks=2).stdout
        self.assertEqual(text.count("largest difference"), 4)


class ExportQasm(CommandTest):
    OBSERVE = ("--observe", "Z0*X1 + Y2", "--observe", "Z2", "--json")

    def test_both_versions_mean_the_same(self):
        path, out = self.write("circuit.qasm", CIRCUIT), self.path("out.qasm")
        bind = ("--bind", "theta=0.3")
        wanted = self.json("simulate", path, *bind, *self.OBSERVE[:-1])["expectations"]
        for version, bound in ((2, bind), (3, bind), (3, ())):
            with self.subTest(version=version, bound=bool(bound)):
                self.succeed("export", "--qasm", version, path, out, *bound)
                with open(out) as file:
                    self.assertTrue(file.read().startswith(f"OPENQASM {version}"))
                again = self.json("simulate", out, *(() if bound else bind), *self.OBSERVE[:-1])
                for a, b in zip(again["expectations"], wanted):
                    self.assertAlmostEqual(a, b, places=12)

    def test_refused(self):
        path, out = self.write("circuit.qasm", CIRCUIT), self.path("out.qasm")
        self.refuse(2, "export", "--qasm", 2, path, out, says="theta")
        self.refuse(2, "export", "--qasm", 4, path, out, says="'4'")
        matrix = "pragma wavetrain unitary mine 1 [[0,0],[1,0],[1,0],[0,0]]\nqubit q;\nmine q;\n"
        path = self.write("matrix.qasm", "OPENQASM 3;\n" + matrix)
        self.refuse(2, "export", "--qasm", 2, path, out, says=("matrix.qasm:4:1", "matri"))
        self.assertFalse(os.path.exists(out))


class BenchCircuit(CommandTest):
    KEYS = {"seconds_per_circuit", "compile_seconds", "bytes", "flops", "values"}

    def bench(self, *options):
        path = self.write("circuit.qasm", CIRCUIT)
        found = self.json("bench", "circuit", path, "--bind", "theta=0.3", "--repeat", 1, *options)
        self.assertEqual(set(found), self.KEYS)
        return found

    def test_values_are_those_of_simulate(self):
        observe = ("--observe", "Z0*X1 + Y2", "--observe", "Z2")
        precision = ("--precision", "double")
        path = self.write("circuit.qasm", CIRCUIT)
        wanted = self.json(
            "simulate", path, "--bind", "theta=0.3", *observe, "--gradient", "adjoint"
        )
        for a, b in zip(self.bench(*observe, *precision)["values"], wanted["expectations"]):
            self.assertAlmostEqual(a, b, places=14)
        for method in ("adjoint", "parameter_shift"):
            (found,) = self.bench(*observe, *precision, "--what", "gradient", "--gradient", method)[
                "values"
            ]
            self.assertAlmostEqual(found, sum(wanted["gradients"]["theta"]), places=12)

    def test_without_observables_it_is_the_whole_state(self):
        found = self.bench("--batch", 3)
        self.assertEqual(found["values"], [])
        self.assertGreater(found["flops"], 0)
        path = self.write("circuit.qasm", CIRCUIT)
        bind = ("--bind", "theta=0.3")
        self.refuse(2, "bench", "circuit", path, *bind, "--what", "gradient", says="--observe")


class Gates(support.AppTest):
    def test_the_page_of_conventions_is_the_table(self):
        page = self.succeed("gates").stdout
        with open(os.path.join(support.ROOT, "docs", "conventions.md")) as file:
            self.assertEqual(file.read(), page)


if __name__ == "__main__":
    unittest.main()
