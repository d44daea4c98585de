/// OpenQASM in: what is refused, with its place and reason.
#include "catch.hpp"

#include "wavetrain/circuit/qasm.hpp"

#include <map>

using namespace wavetrain;

namespace {

std::string message(const std::string& text, const std::map<std::string, std::string>& files = {},
                    Kind kind = Kind::usage) {
    try {
        parse_qasm(text, "m.qasm", [&](const std::string& path) {
            const auto found = files.find(path);
            if (found == files.end()) fail(Kind::environment, "no file '{}'", path);
            return found->second;
        });
    } catch (const Error& error) {
        CHECK(error.kind() == kind);
        CHECK(error.place().line > 0);
        return error.what();
    }
    return "accepted";
}

/// The message for a body that starts on line 3.
std::string message_2(const std::string& body) {
    return message("OPENQASM 2.0;\ninclude \"qelib1.inc\";\n" + body);
}

std::string message_3(const std::string& body) {
    return message("OPENQASM 3.0;\ninclude \"stdgates.inc\";\n" + body);
}

bool has(const std::string& text, std::string_view part) {
    UNSCOPED_INFO(text << "\n  should have: " << part);
    return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("B78: clashes of names say both places", "[circuit][qasm]") {
    CHECK(has(message_2("qreg h[1]; qreg q[1]; h q[0];"),
              "m.qasm:3:6: 'h' is already a gate of qelib1.inc"));
    CHECK(has(message_2("qreg q[1];\ncreg q[2];"),
              "m.qasm:4:6: 'q' is already a qubit register, declared at m.qasm:3:6"));
    CHECK(has(message("qreg h[1]; qreg q[1]; h q[0];"),
              "m.qasm:1:23: expected a gate: 'h' is already a qubit register, declared at "
              "m.qasm:1:6"));
    CHECK(has(message_3("input float t;"), "m.qasm:3:13: 't' is already a gate of stdgates.inc"));
    CHECK(has(message("OPENQASM 3; input float t; include \"wavetrain.inc\";"),
              "wavetrain.inc brings a gate 't', but 't' is already an input, declared at "
              "m.qasm:1:25"));
    CHECK(has(message_3("gate g(a) a { x a; }"), "m.qasm:3:11: 'a' occurs twice in gate 'g'"));
    CHECK(has(message_3("input float pi;"), "m.qasm:3:13: 'pi' is a constant or function"));
    CHECK(has(message_3("qubit measure;"), "word of OpenQASM 3"));
}

TEST_CASE("B80: classical control and measuring in the middle", "[circuit][qasm]") {
    CHECK(has(message_2("qreg q[2]; creg c[1]; x q[0]; measure q[0]->c[0]; if(c==1) x q;"),
              "m.qasm:3:51: 'if' is not supported"));
    CHECK(has(message_2("qreg q[2]; creg c[2]; measure q->c;\nx q[0];"),
              "m.qasm:4:1: gate 'x' acts on qubit 'q[0]' after it was measured at m.qasm:3:23"));
    for (const char* word : {"for", "while", "def", "let", "box", "delay", "reset", "end", "int",
                             "output", "switch", "cal", "extern", "float"})
        CHECK(has(message_3(std::string("qubit q;\n") + word + " q;"),
                  format("m.qasm:4:1: '{}' is not supported", word)));
    CHECK(has(message_2("qreg q[1]; reset q[0];"), "m.qasm:3:12: 'reset' is not supported"));
    CHECK(has(message_3("@hint\nqubit q;"), "m.qasm:3:1: annotations are not supported"));
}

TEST_CASE("B83, B86: sizes, ranges, repeated qubits", "[circuit][qasm]") {
    CHECK(has(message_2("qreg a[2]; qreg b[3]; cx a,b;"),
              "m.qasm:3:28: registers 'a' (2 qubits) and 'b' (3 qubits) have different sizes"));
    CHECK(has(message_2("qreg q[2];\ncx q[0],q[0];"),
              "m.qasm:4:1: gate 'cx' acts on qubit 'q[0]' twice"));
    CHECK(has(message_2("qreg q[2];\nh q[9];"),
              "m.qasm:4:5: index 9 of register 'q' is out of range: 0 ... 1"));
    CHECK(has(message_2("qreg q[3]; ccx q[0],q[1],q[0];"), "acts on qubit 'q[0]' twice"));
    CHECK(has(message_3("qubit[2] q; ctrl @ x q[1],q[1];"), "acts on qubit 'q[1]' twice"));
    CHECK(has(message_2("qreg q[0];"), "m.qasm:3:8: a register of size 0"));
    CHECK(has(message_3("qubit[2] q; h q[-1];"), "out of range"));
    CHECK(has(message_3("qubit[4] q; h q[0:2];"), "slices and index sets are not supported"));
    CHECK(has(message_3("qubit[4] q; h q[{0,2}];"), "slices and index sets are not supported"));
    CHECK(has(message_3("h $0;"), "physical qubits"));
    CHECK(has(message_3("qubit[2000000000] q; qubit[2000000000] r;"), "too many qubits"));
    CHECK(has(message_3("bit[3] c; qubit[2] q; c = measure q;"), "has 2 qubits, 'c' has 3 bits"));
}

TEST_CASE("B84: an error in an included file names that file", "[circuit][qasm]") {
    const std::string head = "OPENQASM 2.0; include \"qelib1.inc\"; qreg q[1];\n";
    CHECK(has(message(head + "include \"lib.inc\";", {{"lib.inc", "\n  h qq[0];"}}),
              "lib.inc:2:5: unknown register 'qq' (did you mean 'q'?)"));
    CHECK(has(message(head + "include \"none.inc\";", {}, Kind::environment),
              "m.qasm:2:9: cannot include 'none.inc'"));
    CHECK(has(message(head + "include \"a.inc\";", {{"a.inc", "include \"a.inc\";"}}),
              "a.inc:1:9: 'a.inc' includes itself"));
    CHECK(has(message(head + "include \"a.inc\";", {{"a.inc", "OPENQASM 3.0;"}}),
              "a.inc:1:10: this file is OpenQASM 3.0"));
    CHECK(has(message("OPENQASM 3; include \"qelib1.inc\";"), "belongs to OpenQASM 2"));
}

TEST_CASE("unknown gates and wrong counts", "[circuit][qasm]") {
    CHECK(has(message_2("qreg q[1]; hh q[0];"), "m.qasm:3:12: unknown gate 'hh' (did you mean"));
    CHECK(has(message("OPENQASM 3; qubit q; h q;"), "it comes with include \"stdgates.inc\""));
    CHECK(has(message_3("qubit q; xpow(1) q;"), "it comes with include \"wavetrain.inc\""));
    CHECK(has(message_2("qreg q[1]; rx q[0];"), "m.qasm:3:12: gate 'rx' takes 1 angle, not 0"));
    CHECK(has(message_2("qreg q[1]; rx(1,2) q[0];"), "gate 'rx' takes 1 angle, not 2"));
    CHECK(has(message_2("qreg q[2]; cx q[0];"), "gate 'cx' takes 2 qubits, not 1"));
    CHECK(has(message_3("qubit[2] q; ctrl(2) @ x q[0],q[1];"),
              "gate 'x' with 2 controls takes 3 qubits, not 2"));
    CHECK(has(message_2("gate g q { g q; }"), "m.qasm:3:12: gate 'g' calls itself"));
    CHECK(has(message_2("opaque g q; qreg q[1]; g q[0];"), "gate 'g' is opaque"));
    CHECK(has(message_2("gate g q { h r; }"), "'r' is no qubit of gate 'g'"));
    CHECK(has(message_2("gate g q { h q[0]; }"), "it has no index"));
    CHECK(has(message_2("gate g q { measure q; }"), "not supported in the body of a gate"));
    CHECK(has(message_2("gate g q { h q;"), "has no end"));
    CHECK(has(message_2("qreg q[2]; ctrl @ x q[0],q[1];"), "is OpenQASM 3"));
    CHECK(has(message_2("qubit q;"), "is OpenQASM 3"));
}

TEST_CASE("expressions that have no value", "[circuit][qasm]") {
    const auto angle = [](const std::string& text) {
        return message_3("input float th; input array[float, 2] w; qubit q; rx(" + text + ") q;");
    };
    CHECK(has(angle("tt"), "m.qasm:3:54: unknown name 'tt' (did you mean 'th'?)"));
    CHECK(has(angle("w"), "is an array of 2 numbers"));
    CHECK(has(angle("w[2]"), "index 2 of 'w' is out of range: 0 ... 1"));
    CHECK(has(angle("th[0]"), "is a number, not an array"));
    CHECK(has(angle("q"), "'q' is already a qubit register"));
    CHECK(has(angle("1/0"), "division by zero"));
    CHECK(has(angle("1.0/0"), "is not a finite number"));
    CHECK(has(angle("th^2"), "write a power as '**'"));
    CHECK(has(angle("th % 2"), "'%' is not supported"));
    CHECK(has(angle("foo(1)"), "unknown function 'foo'"));
    CHECK(has(angle("1e999"), "is not a finite number"));
    CHECK(has(angle("1im"), "imaginary"));
    CHECK(has(angle("sqrt(0-1)"), "is not a finite number"));
    CHECK(has(angle("(1"), "expected ')'"));
    CHECK(has(message_3("input float a; gate g q { rx(a) q; }"), "give the gate a parameter"));
    CHECK(has(message_3("input int k;"), "integer input"));
    CHECK(has(message_3("input array[float, 2, 2] w;"), "one dimension"));
    CHECK(has(message_3("qubit[2] q; pow(0.5) @ u3(1,2,3) q[0];"), "is not supported for gate"));
}

TEST_CASE("what is too long or too deep", "[circuit][qasm]") {
    const std::string brackets(100000, '(');
    CHECK(has(message_3("qubit q; rx(" + brackets + ") q;"), "nested too deeply"));
    std::string minus;
    for (int i = 0; i < 100000; ++i) minus += "2**-";
    CHECK(has(message_3("qubit q; rx(" + minus + "1) q;"), "nested too deeply"));
    std::string sum = "a";
    for (int i = 0; i < 5000; ++i) sum += "+a";
    CHECK(has(message_3("input float a; qubit q; rx(" + sum + ") q;"), "too long"));
    std::string doubling = "gate g0 q { x q; } ";
    std::string growing = "gate h0(a) q { rx(a) q; } ";
    std::string chain = "gate c0 q { x q; } ";
    for (int i = 1; i <= 60; ++i) {
        doubling += format("gate g{} q {{ g{} q; g{} q; }} ", i, i - 1, i - 1);
        growing += format("gate h{}(a) q {{ h{}(a+a) q; }} ", i, i - 1);
    }
    for (int i = 1; i <= 2000; ++i) chain += format("gate c{} q {{ c{} q; }}\n", i, i - 1);
    CHECK(has(message_3(doubling + "qubit q; g60 q;"), "the circuit is too long"));
    CHECK(has(message_3(growing + "input float b; qubit q; h60(b) q;"), "becomes too long"));
    CHECK(has(message_3(chain), "nested too deeply"));
    CHECK(has(message_3("qubit q; pow(1000000000) @ x q;"), "the circuit is too long"));
    CHECK(has(message_3("input array[float, 2000000000] w;"), "an array of size"));
}

TEST_CASE("texts that are cut or are no texts", "[circuit][qasm]") {
    CHECK(has(message("OPENQASM 4.0;"), "OpenQASM '4.0' is not known"));
    CHECK(has(message_2("qreg q[1]"), "expected ';'"));
    CHECK(has(message_2("qreg q[1]; h q[0"), "expected ']'"));
    CHECK(has(message_2("/* no end"), "m.qasm:3:1: this comment has no end"));
    CHECK(has(message_2("include \"abc"), "has no end"));
    CHECK(has(message(std::string("\x01\x02", 2)), "not a text"));
    CHECK(has(message_3("input float thet\xE2;"), "m.qasm:3:13: this name is not UTF-8"));
    CHECK(has(message_3("pragma other thing\n"), "unknown pragma 'other'"));
    CHECK(has(message_3("pragma wavetrain unitary V 1 [[1,0],[0,0]]\n"), "has 4 entries, not 2"));
    CHECK(has(message_3("pragma wavetrain unitary V 1 [[1,0],[0,0],[0,0],[2,0]]\n"),
              "m.qasm:3:26: the matrix is not unitary"));
    CHECK(has(message_3("pragma wavetrain unitary V 7 [[1,0]]\n"), "acts on 1 to 6 qubits"));
    CHECK(has(message_3("pragma wavetrain pauli_rotation V AB\n"), "is no Pauli word"));
    CHECK(has(message_3("qubit q; x q; OPENQASM 3.0;"), "must be the first statement"));
    CHECK(parse_qasm("", "empty.qasm").qubits == 0);
}
