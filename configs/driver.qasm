// Three qubits whose angles come from the layer before; w are weights of its own.
OPENQASM 3;
include "stdgates.inc";
input array[float[64], 3] turn;
input array[float[64], 6] w;
qubit[3] q;

ry(turn[0]) q[0];
ry(turn[1]) q[1];
ry(turn[2]) q[2];
cx q[0], q[1];
cx q[1], q[2];
cx q[2], q[0];
ry(w[0]) q[0];
ry(w[1]) q[1];
ry(w[2]) q[2];
rz(w[3]) q[0];
rz(w[4]) q[1];
rz(w[5]) q[2];
