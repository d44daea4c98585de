/// OpenQASM in: what texts mean.
#include "catch.hpp"
#include "oracle.hpp"

#include "wavetrain/circuit/qasm.hpp"

#include <cmath>
#include <map>
#include <numbers>

using namespace wavetrain;
using namespace wavetrain::test;

namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kClose = 1e-12;

Circuit read(const std::string& text, const std::map<std::string, std::string>& files = {}) {
    return parse_qasm(text, "main.qasm", [&](const std::string& path) { return files.at(path); });
}

Circuit read_2(const std::string& body) {
    return read("OPENQASM 2.0;\ninclude \"qelib1.inc\";\n" + body);
}

Circuit read_3(const std::string& body) {
    return read("OPENQASM 3.0;\ninclude \"stdgates.inc\";\n" + body);
}

double value(const Circuit& circuit, std::string_view observable,
             std::vector<double> symbols = {}) {
    return expectation(circuit, parse_pauli_sum(observable), symbols);
}

/// Two texts of version 3 (after a qubit[3] q) mean the same, phase included.
bool same(const std::string& a, const std::string& b) {
    const std::string head = "include \"wavetrain.inc\"; qubit[3] q;\n";
    return distance(circuit_unitary(read_3(head + a)), circuit_unitary(read_3(head + b))) < kClose;
}

Matrix m_of(double theta, double phi, double lambda) {
    return reference_matrix("u3", std::vector<double>{theta, phi, lambda});
}

Matrix one_qubit(const Circuit& circuit) { return circuit_unitary(circuit); }

} // namespace

TEST_CASE("B75: precedence of angle expressions", "[circuit][qasm]") {
    CHECK(std::abs(value(read_2("qreg q[1]; rx(0.1*pi+0.2*pi) q[0];"), "Z0") - 0.5877852523) <
          1e-10);
    const auto angle = [](const std::string& text) {
        return read_2("qreg q[1]; rx(" + text + ") q[0];").operations.at(0).angles.at(0).value({});
    };
    CHECK(angle("-2^2") == -4);
    CHECK(angle("2^3^2") == 512);
    CHECK(angle("1/2") == 0.5);
    CHECK(angle("8/4/2") == 1);
    CHECK(angle("1-2-3") == -4);
    CHECK(angle("-pi/2*3") == -kPi / 2 * 3);
    CHECK(angle("2*(1+.5e1)-sqrt(4)") == 10);
    CHECK(angle("ln(exp(2))+sin(0)*cos(0)*tan(0)") == 2);
    CHECK(angle("1.e-2") == 0.01);
}

TEST_CASE("expressions of version 3", "[circuit][qasm]") {
    const auto angle = [](const std::string& text) {
        return read_3(
                   "input float v; input array[float[64], 3] w; const int n = 3; const float half "
                   "= 1/2.0; const uint[8] k = n*2; qubit q; rx(" +
                   text + ") q;")
            .operations.at(0)
            .angles.at(0)
            .value(std::vector<double>{0.5, 1, 2, 3});
    };
    CHECK(angle("2**-1") == 0.5);
    CHECK(angle("-2**2") == -4);
    CHECK(angle("π + tau/2 - τ/2") == kPi);
    CHECK(angle("euler/ℇ") == 1);
    CHECK(angle("v**2*w[2] + w[n-3]/4") == 1);
    CHECK(angle("6/3") == 2);
    CHECK(angle("n/2.0") == 1.5);
    CHECK(angle("n/2") == 1.5);
    CHECK(angle("half*k") == 3);
    CHECK(angle("1_000 + 0x1F + 0b11 + 0o7") == 1041);
    CHECK(angle("log(exp(1)) + pow(v, 2)") == 1.25);
}

TEST_CASE("B77: nested definitions, unused and shadowing names", "[circuit][qasm]") {
    const Circuit circuit = read_2("qreg x1[2]; qreg q[2];\n"
                                   "gate foo(a,b) x,y{rx(b) x; ry(a) y;}\n"
                                   "gate bar(q, unused) x1,z { foo(q,2*q+0.3) x1,z; }\n"
                                   "foo(0.4,1.1) q[0],q[1]; bar(0.4, 9) x1[0],x1[1];");
    CHECK(std::abs(value(circuit, "Z2") - 0.4535961214) < 1e-10);
    CHECK(std::abs(value(circuit, "Z3") - 0.9210609940) < 1e-10);
    CHECK(std::abs(value(circuit, "Z0") - 0.4535961214) < 1e-10);
    CHECK(std::abs(value(circuit, "Z1") - 0.9210609940) < 1e-10);
    CHECK(circuit.operations[3].place == Place{"main.qasm", 6, 25});
}

TEST_CASE("B81: barriers change nothing", "[circuit][qasm]") {
    const Circuit with = read_2("qreg q[2]; creg c[2]; barrier q; h q[0]; barrier q[0],q[1]; cx "
                                "q[0],q[1]; barrier q; measure q -> c;");
    const Circuit without = read_2("qreg q[2]; h q[0]; cx q[0],q[1];");
    CHECK(distance(circuit_unitary(with), circuit_unitary(without)) == 0);
}

TEST_CASE("B83: broadcast over registers", "[circuit][qasm]") {
    const std::string head = "qreg a[2]; qreg b[2]; qreg c[3]; ";
    const auto text = [&](const std::string& body) {
        std::string all;
        for (const Operation& op : read_2(head + body).operations)
            all += format("{}{} ", op.controls.at(0).qubit.index, op.targets.at(0).index);
        return all;
    };
    CHECK(text("cx a,b;") == "02 13 ");
    CHECK(text("cx a[0],b;") == "02 03 ");
    CHECK(text("cx a,b[1];") == "03 13 ");
    CHECK(read_3("qubit[4] q; h q;").operations.size() == 4);
    CHECK(read_3("qubit q; qubit[2] r; ctrl @ x q, r;").operations.size() == 2);
}

TEST_CASE("B84: an included file is as if it were written here", "[circuit][qasm]") {
    const std::map<std::string, std::string> files = {
        {"circuits/lib/inner.inc",
         "include \"more.inc\";\ngate g(a) q { rx(a/2+pi/8) q; deep q; }"},
        {"circuits/lib/more.inc", "gate deep q { h q; }"}};
    const std::string head = "OPENQASM 2.0; include \"qelib1.inc\"; ";
    const Circuit circuit =
        parse_qasm(head + "include \"lib/inner.inc\"; qreg q[1]; g(0.4) q[0];",
                   "circuits/main.qasm", [&](const std::string& path) { return files.at(path); });
    const Circuit inlined = read(head + "qreg q[1]; rx(0.4/2+pi/8) q[0]; h q[0];");
    CHECK(distance(circuit_unitary(circuit), circuit_unitary(inlined)) < kClose);
    CHECK(circuit.operations.at(0).place.file == "circuits/main.qasm");
}

TEST_CASE("phases of U, u2, u3 and cu", "[circuit][qasm]") {
    const double t = 0.7, f = 0.4, l = -1.1;
    const Matrix m = m_of(t, f, l);
    const auto gate_3 = [](const std::string& call) {
        return one_qubit(read_3("qubit q; " + call + " q;"));
    };
    CHECK(distance(gate_3("U(0.7,0.4,-1.1)"), std::polar(1.0, t / 2) * m) < kClose);
    CHECK(distance(gate_3("u3(0.7,0.4,-1.1)"), std::polar(1.0, -(f + l) / 2) * m) < kClose);
    CHECK(distance(gate_3("u2(0.4,-1.1)"), std::polar(1.0, -(f + l) / 2) * m_of(kPi / 2, f, l)) <
          kClose);
    for (const char* call : {"U(0.7,0.4,-1.1)", "u(0.7,0.4,-1.1)", "u3(0.7,0.4,-1.1)"})
        CHECK(distance(one_qubit(read_2(std::string("qreg q[1]; ") + call + " q[0];")), m) <
              kClose);
    const auto ours = [](const std::string& head) {
        return one_qubit(read("OPENQASM 3; " + head + " qubit q; u3(0.7,0.4,-1.1) q;"));
    };
    const std::string standard = "include \"stdgates.inc\";";
    const std::string wavetrain = "include \"wavetrain.inc\";";
    CHECK(distance(ours(wavetrain), m) < kClose);
    CHECK(distance(ours(standard + wavetrain), gate_3("u3(0.7,0.4,-1.1)")) < kClose);
    CHECK(distance(ours(wavetrain + standard), gate_3("u3(0.7,0.4,-1.1)")) < kClose);
    CHECK(same("cu(0.7,0.4,-1.1,0.3) q[0],q[1];", "p(0.3) q[0]; cu3(0.7,0.4,-1.1) q[0],q[1];"));
    CHECK(same("ctrl @ U(0.7,0.4,-1.1) q[0],q[1];", "p(0.35) q[0]; cu3(0.7,0.4,-1.1) q[0],q[1];"));
}

TEST_CASE("modifiers", "[circuit][qasm]") {
    CHECK(same("ctrl @ x q[2],q[0];", "cx q[2],q[0];"));
    CHECK(same("ctrl(2) @ x q[2],q[0],q[1];", "ccx q[2],q[0],q[1];"));
    CHECK(same("negctrl @ x q[0],q[1];", "x q[0]; cx q[0],q[1]; x q[0];"));
    CHECK(same("ctrl @ negctrl @ x q[0],q[1],q[2];", "x q[1]; ccx q[0],q[1],q[2]; x q[1];"));
    CHECK(same("inv @ s q[0];", "sdg q[0];"));
    CHECK(same("inv @ inv @ u3(0.1,0.2,0.3) q[0];", "u3(0.1,0.2,0.3) q[0];"));
    CHECK(same("pow(3) @ t q[0];", "t q[0]; t q[0]; t q[0];"));
    CHECK(same("pow(-2) @ rx(0.3) q[0];", "rx(-0.6) q[0];"));
    CHECK(same("pow(0) @ h q[0];", ""));
    CHECK(same("pow(0.5) @ x q[0];", "sx q[0];"));
    CHECK(same("pow(0.5) @ cz q[0],q[1];", "ctrl @ s q[0],q[1];"));
    CHECK(same("pow(0.25) @ z q[0];", "t q[0];"));
    CHECK(same("ctrl @ pow(1.5) @ inv @ ry(0.4) q[0],q[1];", "cry(-0.6) q[0],q[1];"));
    CHECK(same("ctrl @ gphase(0.3) q[1];", "p(0.3) q[1];"));
    CHECK(same("gphase(0.3); gphase(-0.3);", ""));
    CHECK(same("negctrl @ gphase(0.3) q[1];", "gphase(0.3); p(-0.3) q[1];"));
    CHECK(same("gate g(a) q,r { gphase(a); rx(a) q; cx q,r; } inv @ g(0.3) q[0],q[1];",
               "cx q[0],q[1]; rx(-0.3) q[0]; gphase(-0.3);"));
    CHECK(same("gate g(a) q,r { gphase(a); rx(a) q; cx q,r; } ctrl @ g(0.3) q[2],q[0],q[1];",
               "p(0.3) q[2]; crx(0.3) q[2],q[0]; ccx q[2],q[0],q[1];"));
    CHECK(same("gate g(k) q { pow(k) @ x q; } g(0.3) q[1];", "xpow(0.3) q[1];"));
}

TEST_CASE("an input as exponent", "[circuit][qasm]") {
    const Circuit circuit = read_3("input float th; qubit q; pow(th) @ x q;");
    CHECK(std::abs(value(circuit, "Z0", {0.25}) - std::cos(kPi / 4)) < kClose);
}

TEST_CASE("every gate of the table comes with wavetrain.inc", "[circuit][qasm]") {
    for (const int version : {2, 3})
        for (const GateInfo& row : gate_table()) {
            if (row.targets < 0 || (version == 3 && row.name == "u3")) continue;
            INFO(version << " " << row.name);
            const int qubits = row.controls + row.targets;
            std::string angles, operands;
            std::vector<double> values;
            for (std::size_t i = 0; i < row.parameters.size(); ++i) {
                values.push_back(0.3 + 0.25 * static_cast<double>(i));
                angles += format("{}{}", i == 0 ? "(" : ", ", values.back());
            }
            for (int q = 0; q < qubits; ++q) operands += format("{}q[{}]", q == 0 ? "" : ",", q);
            const std::string text =
                format("OPENQASM {}.0; include \"{}\"; include \"wavetrain.inc\"; qreg q[3]; "
                       "{}{} {};",
                       version, version == 2 ? "qelib1.inc" : "stdgates.inc", row.name,
                       angles.empty() ? "" : angles + ")", operands);
            Circuit expected;
            expected.qubits = 3;
            std::vector<Qubit> list;
            for (int q = 0; q < qubits; ++q) list.push_back(Qubit{q});
            expected.add(gate_id(row.name), list, {values.begin(), values.end()});
            CHECK(distance(circuit_unitary(read(text)), circuit_unitary(expected)) < kClose);
        }
}

TEST_CASE("pragmas: matrices and Pauli rotations", "[circuit][qasm]") {
    const Circuit circuit =
        read_3("pragma wavetrain unitary V 2 [[1,0],[0,0],[0,0],[0,0], [0,0],[1,0],[0,0],[0,0], "
               "[0,0],[0,0],[0,0],[1,0], [0,0],[0,0],[1,0],[0,0]] // a CX\n"
               "pragma wavetrain pauli_rotation xy XY\nqubit[3] q; V q[2],q[0]; inv @ V q[2],q[0]; "
               "V q[2],q[0]; xy(0.6) q[1],q[2];");
    CHECK(circuit.matrices.size() == 2);
    Circuit expected;
    expected.qubits = 3;
    expected.add("cx", {2, 0});
    Operation rotation = circuit.operations.back();
    CHECK(rotation.paulis == "XY");
    expected.operations.push_back(rotation);
    CHECK(distance(circuit_unitary(circuit), circuit_unitary(expected)) < kClose);
    // B11: exp(-i t/2 X1 Y2).
    const Circuit b11 = read_3("pragma wavetrain pauli_rotation xy XY\ninput float th; qubit[3] q; "
                               "xy(th) q[1],q[2];");
    CHECK(std::abs(value(b11, "Z1 + 10*Z0", {0.6}) - 10.8253356149) < 1e-10);
    CHECK(std::abs(expectation_gradient(b11, parse_pauli_sum("Z1 + 10*Z0"),
                                        std::vector<double>{0.6})[0] +
                   0.5646424734) < 1e-10);
}

TEST_CASE("declarations, comments, final measurements", "[circuit][qasm]") {
    const Circuit circuit = read_3("/* two\n lines */ input angle[32] a; // one\n"
                                   "input array[float[64], 63] w;\n"
                                   "qubit[2] q; qubit r; bit[2] c; bit d;\n"
                                   "rx(a*w[62]) r;; c = measure q; d = measure r; measure r;\n");
    CHECK(circuit.qubits == 3);
    CHECK(circuit.inputs.size() == 2);
    CHECK(circuit.symbols.at(63) == "w[62]");
    CHECK(circuit.operations.at(0).targets.at(0).index == 2);
    CHECK(circuit.operations.at(0).place == Place{"main.qasm", 7, 1});
    CHECK(read_3("qubit[2] q; bit[2] c = measure q;").operations.empty());
    CHECK(read_3("qubit[2] q; bit c; x q[0]; measure q[0] -> c; x q[1];").operations.size() == 2);
}

TEST_CASE("a text without a version line", "[circuit][qasm]") {
    CHECK(read("include \"qelib1.inc\"; qreg q[1]; rx(1/2) q[0];")
              .operations.at(0)
              .angles.at(0)
              .value({}) == 0.5);
    CHECK(read("include \"stdgates.inc\"; qubit q; inv @ x q;").operations.size() == 1);
}

TEST_CASE("gates that came to qelib1.inc later may be defined by the text", "[circuit][qasm]") {
    const Circuit circuit = read_2("gate rxx(t) a,b { h a; h b; cx a,b; rz(t) b; cx a,b; h a; h b; "
                                   "} qreg q[2]; rxx(0.3) q[0],q[1];");
    CHECK(circuit.operations.size() == 7);
    CHECK(read_2("opaque magic(a) q,r; qreg q[2]; x q[0];").operations.size() == 1);
}
