OPENQASM 3.0;
include "wavetrain.inc";
pragma wavetrain unitary root 1 [[0.5,0.5],[0.5,-0.5],[0.5,-0.5],[0.5,0.5]]
pragma wavetrain pauli_rotation turn XY
input angle s;
qubit[2] q;
xpow(s) q[0]; root q[1]; turn(s + 1) q[0], q[1]; /* two */ fsim(s, 0.1) q[0], q[1]; // end
