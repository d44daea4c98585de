"""TensorFlow Quantum: an Expectation layer with the adjoint differentiator.

Its exponents are half turns; it takes each member of the batch as a serialised circuit, and parses
and fuses it again on every call.
"""

import os

os.environ["TF_USE_LEGACY_KERAS"] = "1"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import tensorflow as tf  # noqa: E402

# Importing TensorFlow Quantum starts TensorFlow.
tf.config.threading.set_intra_op_parallelism_threads(1)
tf.config.threading.set_inter_op_parallelism_threads(1)

import cirq  # noqa: E402
import sympy  # noqa: E402
import tensorflow_quantum as tfq  # noqa: E402

from cirq_circuits import build  # noqa: E402

PACKAGES = ("tensorflow-quantum",)
PRECISION = "single"


def prepare(circuit, what, batch):
    if any(gate.matrix is not None for gate in circuit.gates):
        raise SystemExit("TensorFlow Quantum has no matrices as gates")
    qubits = cirq.GridQubit.rect(1, circuit.qubits)
    circuits = tfq.convert_to_tensor([build(circuit, qubits, sympy.Symbol)] * batch)
    operators = [cirq.Z(qubits[i]) for i in circuit.observed]
    operators = [sum(operators[1:], operators[0])] if circuit.summed else operators
    operators = tfq.convert_to_tensor([operators] * batch)
    names = tf.convert_to_tensor(circuit.symbols)
    layer = tfq.layers.Expectation(differentiator=tfq.differentiators.Adjoint())
    table = tf.constant(circuit.table(batch), dtype=tf.float32)

    @tf.function
    def forward(values):
        outputs = layer(circuits, symbol_names=names, symbol_values=values, operators=operators)
        return tf.reduce_sum(outputs, axis=1)

    @tf.function
    def gradient(values):
        with tf.GradientTape() as tape:
            tape.watch(values)
            outputs = forward(values)
        return outputs, tf.reduce_sum(tape.gradient(outputs, values), axis=0)

    if what == "forward":
        return lambda: (forward(table).numpy(), None)
    return lambda: tuple(part.numpy() for part in gradient(table))
