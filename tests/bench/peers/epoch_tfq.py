"""The tutorial's training in TensorFlow Quantum with model.fit; prints seconds an epoch as JSON.

epoch_tfq.py --workers 1      one process, as many threads as TensorFlow likes
epoch_tfq.py --workers 2      MultiWorkerMirroredStrategy, one worker a core

The 8-qubit hybrid (configs/qcnn_hybrid.toml), 112 samples, batches of 32. The fastest epoch counts.
"""

import argparse
import json
import os
import socket
import subprocess
import sys
import time

import environments

SAMPLES, BATCH, QUBITS = 112, 32, 8


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--epochs", type=int, default=15)
    return parser.parse_args()


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def launch(options):
    """Starts the workers; the first one's report."""
    workers = [f"127.0.0.1:{port}" for port in free_ports(options.workers)]
    started = []
    for index in range(options.workers):
        task = {"cluster": {"worker": workers}, "task": {"type": "worker", "index": index}}
        command = ["taskset", "-c", str(index % os.cpu_count()), sys.executable, *sys.argv]
        environment = {**os.environ, "TF_CONFIG": json.dumps(task)}
        worker = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
        started.append(worker)
    reports = [worker.communicate()[0] for worker in started]
    if any(worker.returncode for worker in started):
        raise SystemExit("a worker failed")
    return reports[0]


def train(options):
    os.environ["TF_USE_LEGACY_KERAS"] = "1"
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    import tensorflow as tf

    # Before TensorFlow Quantum, which starts TensorFlow.
    distributed = options.workers > 1
    strategy = tf.distribute.MultiWorkerMirroredStrategy() if distributed else None

    import cirq
    import numpy as np
    import sympy
    import tensorflow_quantum as tfq
    import tf_keras as keras

    from circuits import Circuit, qcnn_multi
    from cirq_circuits import build

    qubits = cirq.GridQubit.rect(1, QUBITS)
    whole = qcnn_multi(QUBITS)
    first = next(i for i, gate in enumerate(whole.gates) if gate.symbol == whole.datum)
    cluster, layer = (
        build(Circuit("part", QUBITS, gates=gates), qubits, sympy.Symbol)
        for gates in (whole.gates[:first], whole.gates[first + 1 :])
    )
    random = np.random.default_rng(1)
    angles = random.uniform(-np.pi, np.pi, SAMPLES)
    labels = np.where(np.abs(angles) <= np.pi / 2, 1.0, -1.0)
    excitations = tfq.convert_to_tensor(
        [cirq.Circuit(cirq.rx(float(a))(qubits[i % QUBITS])) for i, a in enumerate(angles)]
    )

    def model():
        inputs = keras.Input(shape=(), dtype=tf.dtypes.string)
        state = tfq.layers.AddCircuit()(inputs, prepend=cluster)
        readouts = [cirq.Z(qubits[i]) for i in whole.observed]
        adjoint = tfq.differentiators.Adjoint()
        outputs = tfq.layers.PQC(layer, readouts, differentiator=adjoint)(state)
        outputs = keras.layers.Dense(1)(keras.layers.Dense(8)(outputs))
        made = keras.Model(inputs=[inputs], outputs=[outputs])
        made.compile(optimizer=keras.optimizers.Adam(learning_rate=0.02), loss="mse")
        return made

    class Clock(keras.callbacks.Callback):
        seconds = []

        def on_epoch_begin(self, epoch, logs=None):
            self.start = time.perf_counter()

        def on_epoch_end(self, epoch, logs=None):
            self.seconds.append(time.perf_counter() - self.start)

    if strategy:
        with strategy.scope():
            made = model()
    else:
        made = model()
    dataset = tf.data.Dataset.from_tensor_slices((excitations, labels)).shuffle(SAMPLES)
    dataset = dataset.batch(BATCH)
    clock = Clock()
    history = made.fit(dataset, epochs=options.epochs, verbose=0, callbacks=[clock])
    losses = history.history["loss"]
    if not losses[-1] < losses[0]:
        raise SystemExit(f"the model does not learn: {losses}")
    report = {"seconds": min(clock.seconds), "losses": losses, "version": tfq.__version__}
    print(json.dumps({**report, "workers": options.workers}))


def main():
    options = parse()
    environments.enter("tfq")
    if options.workers > 1 and "TF_CONFIG" not in os.environ:
        print(launch(options), end="")
    else:
        train(options)


if __name__ == "__main__":
    main()
