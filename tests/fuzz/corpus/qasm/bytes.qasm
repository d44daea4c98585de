OPENQASM 3.0;
include "stdgates.inc";
input float thetâa;
qubit q;
rx(thetâa) q;
