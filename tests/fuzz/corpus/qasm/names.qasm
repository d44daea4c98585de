OPENQASM 3.0;
include "stdgates.inc";
input float[64] θ;
input float q;
qubit r;
rx(θ) r;
rx(q) r;
