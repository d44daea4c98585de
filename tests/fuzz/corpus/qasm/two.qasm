OPENQASM 2.0;
include "qelib1.inc";
qreg a[2];
qreg b[1];
creg c[2];
gate mine(x,y) p,q { u3(x,y,-pi/2) p; cx p,q; }
mine(0.5,1e-3) a[0],a[1];
cu1(pi/2^3) a[1],b[0];
measure a -> c;
