// Data re-uploading on two qubits: every rotation turns by w*x + b of one of the two features.
OPENQASM 3;
include "stdgates.inc";
input array[float[64], 2] features;
input array[float[64], 12] w;
input array[float[64], 12] b;
qubit[2] q;

ry(w[0]*features[0] + b[0]) q[0];
ry(w[1]*features[1] + b[1]) q[1];
rz(w[2]*features[1] + b[2]) q[0];
rz(w[3]*features[0] + b[3]) q[1];
cz q[0], q[1];
ry(w[4]*features[0] + b[4]) q[0];
ry(w[5]*features[1] + b[5]) q[1];
rz(w[6]*features[1] + b[6]) q[0];
rz(w[7]*features[0] + b[7]) q[1];
cz q[0], q[1];
ry(w[8]*features[0] + b[8]) q[0];
ry(w[9]*features[1] + b[9]) q[1];
rz(w[10]*features[1] + b[10]) q[0];
rz(w[11]*features[0] + b[11]) q[1];
cz q[0], q[1];
rx(pi/2) q[0];
