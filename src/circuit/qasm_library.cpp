/// The built-in includes of OpenQASM, with the phases that docs/conventions.md states.
#include "qasm_library.hpp"

#include "wavetrain/circuit/gate.hpp"

#include <algorithm>
#include <vector>

namespace wavetrain::qasm {
namespace {

constexpr std::string_view kStandardRows[] = {
    "p",  "x",  "y",  "z",  "h",   "s",   "sdg", "t",  "tdg",  "sx",  "rx",    "ry", "rz",
    "cx", "cy", "cz", "cp", "crx", "cry", "crz", "ch", "swap", "ccx", "cswap", "id",
};

// Version 3's U and u3 differ from the table's u3 by phases, which count under ctrl @.
constexpr std::string_view kStandardText = R"(
gate phase(l) q { p(l) q; }
gate cphase(l) a, b { cp(l) a, b; }
gate CX a, b { cx a, b; }
gate u1(l) q { p(l) q; }
gate cu(t, f, l, g) a, b { p(g) a; cu3(t, f, l) a, b; }
gate u2(f, l) q { gphase(-(f + l)/2); u3(pi/2, f, l) q; }
gate u3(t, f, l) q { gphase(-(f + l)/2); u3(t, f, l) q; }
)";

constexpr std::string_view kVersion2Rows[] = {
    "u3", "cx",  "id",    "p",   "x",   "y",   "z",    "h",   "s",   "sdg",
    "t",  "tdg", "rx",    "ry",  "rz",  "sx",  "sxdg", "cz",  "cy",  "swap",
    "ch", "ccx", "cswap", "crx", "cry", "crz", "cp",   "cu3", "rxx", "rzz",
};

constexpr std::string_view kVersion2Text = R"(
gate u(t, f, l) q { u3(t, f, l) q; }
gate u2(f, l) q { u3(pi/2, f, l) q; }
gate u1(l) q { p(l) q; }
gate u0(g) q { id q; }
gate cu1(l) a, b { cp(l) a, b; }
gate cu(t, f, l, g) a, b { p(g) a; cu3(t, f, l) a, b; }
gate csx a, b { ctrl @ sx a, b; }
gate c3x a, b, c, d { ctrl(3) @ x a, b, c, d; }
gate c3sqrtx a, b, c, d { ctrl(3) @ sx a, b, c, d; }
gate c4x a, b, c, d, e { ctrl(4) @ x a, b, c, d, e; }
gate rccx a, b, c {
    u2(0, pi) c; p(pi/4) c; cx b, c; p(-pi/4) c; cx a, c;
    p(pi/4) c; cx b, c; p(-pi/4) c; u2(0, pi) c;
}
gate rc3x a, b, c, d {
    u2(0, pi) d; p(pi/4) d; cx c, d; p(-pi/4) d; u2(0, pi) d;
    cx a, d; p(pi/4) d; cx b, d; p(-pi/4) d; cx a, d; p(pi/4) d; cx b, d; p(-pi/4) d;
    u2(0, pi) d; p(pi/4) d; cx c, d; p(-pi/4) d; u2(0, pi) d;
}
)";

// What qelib1.inc did not have when OpenQASM 2 was published: texts of that time define them.
constexpr std::string_view kLater =
    "u p u0 sx sxdg swap cswap crx cry cp csx cu rxx rzz rccx rc3x c3x c3sqrtx c4x";

constexpr std::string_view kVersion2BuiltIn = R"(
gate U(t, f, l) q { u3(t, f, l) q; }
gate CX a, b { cx a, b; }
)";

constexpr std::string_view kVersion3BuiltIn = R"(
gate U(t, f, l) q { gphase(t/2); u3(t, f, l) q; }
)";

constexpr std::string_view kVersion3Rows[] = {"gphase"};

const Library kStandard{"stdgates.inc", true, kStandardRows, kStandardText, {}};
const Library kVersion2{"qelib1.inc", true, kVersion2Rows, kVersion2Text, kLater};

const Library& wavetrain_library() {
    static const std::vector<std::string_view> rows = [] {
        std::vector<std::string_view> names;
        for (const GateInfo& row : gate_table())
            if (row.targets >= 0) names.push_back(row.name);
        return names;
    }();
    static const Library library{"wavetrain.inc", false, rows, {}, {}};
    return library;
}

constexpr std::string_view kReserved2 =
    "OPENQASM include qreg creg gate opaque measure reset barrier if pi sin cos tan exp ln sqrt";
constexpr std::string_view kReserved3 =
    "OPENQASM include defcalgrammar def cal defcal gate extern box let break continue if else end "
    "return for while in switch case default pragma input output const readonly mutable qreg "
    "qubit creg bool bit int uint float angle complex array void duration stretch gphase inv pow "
    "ctrl negctrl durationof delay reset measure barrier true false im opaque nop dim";

} // namespace

const Library* find_library(std::string_view name) {
    if (name == kStandard.name) return &kStandard;
    if (name == kVersion2.name) return &kVersion2;
    if (name == "wavetrain.inc") return &wavetrain_library();
    return nullptr;
}

const Library& built_in_gates(int version) {
    static const Library two{"OpenQASM 2", true, {}, kVersion2BuiltIn, {}};
    static const Library three{"OpenQASM 3", true, kVersion3Rows, kVersion3BuiltIn, {}};
    return version == 2 ? two : three;
}

std::string_view library_with(std::string_view gate, int version) {
    const Library* libraries[] = {version == 2 ? &kVersion2 : &kStandard, &wavetrain_library()};
    for (const Library* library : libraries) {
        const bool row =
            std::find(library->rows.begin(), library->rows.end(), gate) != library->rows.end();
        const std::string head = "gate " + std::string(gate);
        if (row || library->text.find(head + "(") != std::string_view::npos ||
            library->text.find(head + " ") != std::string_view::npos)
            return library->name;
    }
    return {};
}

bool has_word(std::string_view words, std::string_view name) {
    std::size_t start = 0;
    while (start < words.size()) {
        const std::size_t end = std::min(words.find(' ', start), words.size());
        if (words.substr(start, end - start) == name) return true;
        start = end + 1;
    }
    return false;
}

bool is_reserved(std::string_view word, int version) {
    return has_word(version == 2 ? kReserved2 : kReserved3, word);
}

} // namespace wavetrain::qasm
