OPENQASM 3.0;
include "stdgates.inc";
input float theta;
input array[float[64], 3] w;
qubit[3] q;
gate pair(a) x, y { rz(a) x; ctrl @ ry(-a / 2) x, y; }
h q;
pair(theta) q[0], q[1];
inv @ pow(2) @ s q[2];
negctrl @ rx(2 * w[0] ** 2 + sin(w[1])) q[1], q[2];
gphase(pi / 4);
barrier q;
