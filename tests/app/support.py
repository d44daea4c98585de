"""What the black-box tests share: scratch folders, starting the program, its files."""

import glob
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest

import h5py
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))
PROGRAM = os.path.abspath(
    os.environ.get("WAVETRAIN_PROGRAM", os.path.join(ROOT, "build", "release", "wavetrain"))
)
SHARED = os.environ.get("WAVETRAIN_SHARED", os.path.join(ROOT, "..", "shared"))
LONG = bool(os.environ.get("WAVETRAIN_LONG"))
MPIRUN = os.path.join(ROOT, "scripts", "mpirun.sh")

sys.path.insert(0, os.path.join(ROOT, "tests", "reference"))
import replay  # noqa: E402

# What a launcher or the user may have left in the environment, and what changes the program.
HIDDEN = ("OMPI_", "PMI", "PRTE_", "SLURM_", "OMP_", "WAVETRAIN_FAULT")

# Without a launcher: no daemon and no search for networks, which take Open MPI half a second.
ALONE = {"OMPI_MCA_ess_singleton_isolated": "1", "OMPI_MCA_pml": "ob1"}

# A training with this lasts for long enough to be struck, however fast the machine.
SLOW = "rank=0,at=step:1,kind=slow"


def environment(**more):
    clean = {k: v for k, v in os.environ.items() if not k.startswith(HIDDEN)}
    clean.update(more)
    return clean


def run(*arguments, ranks=0, timeout=120, folder=None, **variables):
    """Runs the program, under mpirun if ranks > 0; returns the finished process with its texts."""
    command = [PROGRAM, *map(str, arguments)]
    if ranks:
        command = [MPIRUN, "-n", str(ranks), *command]
    else:
        variables = {**ALONE, **variables}
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=timeout,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        env=environment(**variables),
    )


class AppTest(unittest.TestCase):
    """A test with a scratch folder of its own."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="wavetrain-test-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)
        return self.path(name)

    def succeed(self, *arguments, **options):
        done = run(*arguments, **options)
        self.assertEqual(done.returncode, 0, f"{arguments}\n{done.stderr[-3000:]}")
        return done

    def refuse(self, code, *arguments, says=(), **options):
        """The program must end with this code and say all of `says` on stderr."""
        done = run(*arguments, **options)
        text = f"{arguments}\nexit code {done.returncode}\n{done.stderr[-3000:]}"
        self.assertEqual(done.returncode, code, text)
        for piece in (says,) if isinstance(says, str) else says:
            self.assertIn(piece, done.stderr, text)
        return done

    def config(self, name="config.toml", **tables):
        """Writes a config from keyword arguments such as model={"kind": "qcnn"}."""
        return self.write(name, toml(tables))

    def small(self, output="run", name="config.toml", **changes):
        """A config that trains in no time; `changes` are tables whose keys replace or add."""
        tables = {
            "model": {"kind": "qcnn_hybrid", "qubits": 4},
            "data": {"source": "excitations", "rounds": 4, "seed": 3},
            "train": {"epochs": 2, "batch_size": 5, "seed": 4},
            "output": {"folder": self.path(output)},
        }
        for table, keys in changes.items():
            tables[table] = {**tables.get(table, {}), **keys}
        return self.config(name, **tables)


def toml_value(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value)
    return repr(value)


def toml(tables):
    lines = []
    for table, keys in tables.items():
        lines.append(f"[{table}]")
        lines += [f"{key} = {toml_value(value)}" for key, value in keys.items()]
    return "\n".join(lines) + "\n"


def events(folder, kind=None):
    """The records of a run's metrics.jsonl, of one kind if given."""
    with open(os.path.join(folder, "metrics.jsonl")) as file:
        records = [json.loads(line) for line in file]
    return [r for r in records if kind is None or r["event"] == kind]


def cpu_seconds():
    """What the programs that have ended took of a processor."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def epoch_values(folder, key):
    return [record[key] for record in events(folder, "epoch")]


def read_bytes(path):
    with open(path, "rb") as file:
        return file.read()


# Recorded runs ---------------------------------------------------------------------------------


def recorded_runs():
    """(name, run) of the runs of our own replay, and of TFQ's where they are present."""
    paths = sorted(glob.glob(os.path.join(ROOT, "tests", "data", "replay_*.json")))
    paths += sorted(glob.glob(os.path.join(SHARED, "data", "tfq", "*.json")))
    for path in paths:
        with open(path) as file:
            yield os.path.basename(path)[:-5], json.load(file)


def write_csv(path, data, rows=slice(None)):
    with open(path, "w") as file:
        file.write("excited_qubit,angle,label\n")
        for row in list(zip(data["excited_qubit"], data["angle"], data["label"]))[rows]:
            file.write(f"{row[0]},{row[1]!r},{row[2]!r}\n")


def write_keras(path, weights, filters):
    """A weights file as Keras' older layout has it, weightless layers included."""
    pqc = ["pqc" if k == 0 else f"pqc_{k}" for k in range(filters)]
    layers = [("input_1", []), ("add_circuit", [])]
    layers += [(name, [("parameters:0", weights[k])]) for k, name in enumerate(pqc)]
    if filters > 1:
        layers.append(("concatenate", []))
    for k, name in enumerate(["dense", "dense_1"][: (len(weights) - filters) // 2]):
        first = filters + 2 * k
        layers.append(
            (name, [(f"{name}/kernel:0", weights[first]), (f"{name}/bias:0", weights[first + 1])])
        )
    with h5py.File(path, "w") as file:
        file.attrs["layer_names"] = [name for name, _ in layers]
        file.attrs["backend"] = "tensorflow"
        file.attrs["keras_version"] = "2.7.0"
        for name, arrays in layers:
            group = file.create_group(name)
            group.attrs["weight_names"] = [array_name for array_name, _ in arrays]
            for array_name, values in arrays:
                group.create_dataset(array_name, data=np.array(values, dtype=np.float32))


def text_of(value):
    return value.decode() if isinstance(value, bytes) else str(value)


def names_attribute(group, name):
    """A vector of names, also where Keras cut a long one into name0, name1, ..."""
    if name in group.attrs:
        return [text_of(value) for value in group.attrs[name]]
    names, chunk = [], 0
    while f"{name}{chunk}" in group.attrs:
        names += [text_of(value) for value in group.attrs[f"{name}{chunk}"]]
        chunk += 1
    return names


def load_by_keras_rules(path):
    """[(layer, [(name, array)])] of the layers with weights: Keras' load_weights_from_hdf5_group.

    Layers come in the order of layer_names, those without weights are passed over, arrays in the
    order of weight_names; what else is in the file is not looked at.
    """
    layers = []
    with h5py.File(path, "r") as file:
        for layer in names_attribute(file, "layer_names"):
            group = file[layer]
            names = names_attribute(group, "weight_names")
            if names:
                layers.append((layer, [(name, np.asarray(group[name])) for name in names]))
    return layers


def own_layer(file, layer):
    """(names, float64 values) of a layer in the group /wavetrain, in the layer's own order."""
    group = file["wavetrain"]["layers"][layer]
    return [text_of(name) for name in group["names"][()]], group["values"][()]


def float64_weights(path):
    """The float64 values below /wavetrain as arrays like Keras', whose float32 they must round to.

    A quantum layer's values come by symbol name, sorted as text; a dense layer's kernel, then bias.
    """
    result = []
    layers = load_by_keras_rules(path)
    with h5py.File(path, "r") as file:
        for layer, arrays in layers:
            names, values = own_layer(file, layer)
            assert values.dtype == np.float64 and len(names) == len(values), layer
            if len(arrays) == 1:
                values = values[np.argsort(names)]
            for name, single in arrays:
                double, values = values[: single.size].reshape(single.shape), values[single.size :]
                assert np.array_equal(double.astype(np.float32), single), f"{path}: {layer} {name}"
                result.append(double)
            assert values.size == 0, layer
    return result


def run_tables(run, folder, **changes):
    """The config tables that repeat a recorded run; writes its data and weights files."""
    m, o = run["model"], run["optimizer"]
    data, weights = os.path.join(folder, "data.csv"), os.path.join(folder, "initial.h5")
    write_csv(data, run["data"])
    write_keras(weights, run["initial_weights"], m["filters"])
    tables = {
        "model": {
            "kind": {"full": "qcnn", "one": "qcnn_hybrid"}[m["kind"]],
            "qubits": m["qubits"],
            "filters": m["filters"],
            "variant": m["variant"],
        },
        "data": {"source": "csv", "file": data, "train_count": run["train"]},
        "train": {
            "epochs": run["epochs"],
            "batch_size": run["batch"],
            "shuffle": False,
            "loss": run["loss"],
            "initial_weights": weights,
        },
        "optimizer": dict(o),
        "output": {"folder": os.path.join(folder, "run")},
    }
    for table, keys in changes.items():
        tables[table] = {**tables.get(table, {}), **keys}
    return tables
