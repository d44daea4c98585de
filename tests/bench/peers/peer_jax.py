"""TensorCircuit-NG on JAX: compiled once, mapped over the data, weights shared.

XLA compiles for minutes: its results stay in build/peers/jax for the next run.
"""

import os
import time

import environments

os.environ["XLA_FLAGS"] = (
    "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1 "
    + os.environ.get("XLA_FLAGS", "")
)

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
import tensorcircuit as tc  # noqa: E402

PACKAGES = ("tensorcircuit-ng", "jax")
PRECISION = "single"

jax.config.update("jax_compilation_cache_dir", os.path.join(environments.FOLDER, "jax"))
jax.config.update("jax_persistent_cache_min_compile_time_secs", 1.0)

ROTATIONS = {
    **{"rx": "rx", "ry": "ry", "rz": "rz", "xpow": "rx", "ypow": "ry", "zpow": "rz"},
    **{"xxpow": "rxx", "yypow": "ryy", "zzpow": "rzz"},
}


def prepare(circuit, what, batch):
    tc.set_backend("jax")
    tc.set_dtype("complex64")
    weights = [name for name in circuit.symbols if name != circuit.datum]
    places = {name: number for number, name in enumerate(weights)}

    def expectation(values, datum):
        built = tc.Circuit(circuit.qubits)
        for gate in circuit.gates:
            if gate.matrix is not None:
                built.unitary(*gate.qubits, unitary=gate.matrix)
            elif gate.symbol:
                symbol = datum if gate.symbol == circuit.datum else values[places[gate.symbol]]
                factor = gate.coefficient * (np.pi if gate.name.endswith("pow") else 1.0)
                getattr(built, ROTATIONS[gate.name])(*gate.qubits, theta=factor * symbol)
            else:
                getattr(built, gate.name)(*gate.qubits)
        terms = [tc.backend.real(built.expectation_ps(z=[qubit])) for qubit in circuit.observed]
        return sum(terms[1:], terms[0])

    values = jax.vmap(expectation, in_axes=(None, 0))

    def total(weights, data):
        found = values(weights, data)
        return found.sum(), found

    function = jax.grad(total, argnums=(0, 1), has_aux=True) if what == "gradient" else values
    shared = jnp.array([circuit.values[name] for name in weights], dtype=jnp.float32)
    data = jnp.array(circuit.data(batch), dtype=jnp.float32)
    start = time.process_time()
    compiled = jax.jit(function).lower(shared, data).compile()
    seconds = time.process_time() - start

    def forward():
        return np.asarray(compiled(shared, data)), None

    def gradient():
        (of_weights, of_data), found = compiled(shared, data)
        derivatives = dict(zip(weights, np.asarray(of_weights)))
        derivatives[circuit.datum] = np.asarray(of_data).sum()
        return np.asarray(found), np.array([derivatives[name] for name in circuit.symbols])

    run = forward if what == "forward" else gradient
    run.compile_seconds = seconds
    return run
