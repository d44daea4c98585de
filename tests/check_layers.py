"""Checks the architecture: who may include whom, which library lives where, what no file may do.

check_layers.py [ROOT]      exits 1 and lists what breaks a rule (docs/architecture.md)
check_layers.py --self-test seeds a breach of every rule into a scratch tree; each must be found
"""

import os
import re
import sys
import tempfile

# The rooms and what each may include beside itself.
ROOMS = {
    "base": "",
    "comm": "base",
    "io": "base",
    "circuit": "base",
    "compile": "base circuit",
    "engine": "base comm circuit compile",
    "gradient": "base comm circuit compile engine",
    "data": "base comm io circuit",
    "model": "base comm io circuit compile engine gradient",
    "telemetry": "base comm io circuit",
    "train": "base comm io data model telemetry",
    "config": "base comm io circuit compile engine gradient data model telemetry train",
    "apps": "base comm circuit compile engine gradient data model telemetry train config",
}
PURE = ("circuit", "compile")

# Header of an outside library: the only files that may include it (regular expressions).
LIBRARIES = {
    r"omp\.h": r"include/wavetrain/base/parallel\.hpp",
    r"fmt/.*": r"include/wavetrain/base/format\.hpp",
    r"spdlog/.*": r"src/base/log\.cpp",
    r"nlohmann/.*": r"src/base/json\.cpp",
    r"openssl/.*": r"src/base/hash\.cpp",
    r"mpi\.h": r"src/comm/mpi\.cpp",
    r"(hdf5|H5\w+)\.h(pp)?": r"src/io/h5\.cpp",
    r"curl/.*": r"src/io/objects\.cpp",
    r"(unsupported/)?Eigen/.*": r"(include/wavetrain|src)/(circuit|model)/.*",
    r"hwy/.*": r"src/engine/kernels.*",
    r"google/protobuf/.*": r"src/telemetry/(events|profile)\.cpp",
    r"httplib\.h": r"src/telemetry/status\.cpp",
    r"toml(\+\+|plusplus)?/.*|toml\.h(pp)?": r"src/config/load\.cpp",
    r"CLI/.*": r"apps/.*",
}
# Any other header with a dot or a slash in its name is an outside library without a place.
SYSTEM = re.compile(
    r"(sys|arpa|netinet|linux)/\w+\.h|(dirent|dlfcn|fcntl|grp|immintrin|netdb|poll|"
    r"pthread|pwd|sched|signal|time|unistd|errno|string|stdlib|cpuid)\.h"
)

KERNELS = r"src/engine/kernels.*"
PARALLEL = r"include/wavetrain/base/parallel\.hpp"
# What the code (comments and texts removed) may not say: name, pattern, files where it may.
FORBIDDEN = [
    ("MPI_ outside comm/mpi.cpp", r"\bMPI_\w+", r"src/comm/mpi\.cpp"),
    ("#pragma omp outside base/parallel.hpp", r"#\s*pragma\s+omp", PARALLEL),
    ("#if outside kernels and base/parallel.hpp", r"^\s*#\s*(el)?if", f"{KERNELS}|{PARALLEL}"),
    (
        "printing outside log.cpp, telemetry/progress and apps",
        r"\bstd::(cout|cerr|clog|print|println)\b|\bfmt::print|\b(stdout|stderr)\b"
        r"|(?<![.\w>])(printf|vprintf|puts|putchar|perror)\s*\(",
        r"src/base/log\.cpp|src/telemetry/progress.*|apps/.*",
    ),
    (
        "ending the process outside apps/main.cpp and comm/mpi.cpp",
        r"(?<![.\w>])(exit|_exit|_Exit|quick_exit)\s*\(|(?<![.\w>])(std::)?abort\s*\(\s*\)"
        r"|\bstd::terminate\b",
        r"apps/main\.cpp|src/comm/mpi\.cpp",
    ),
    ("using namespace", r"\busing\s+namespace\b", r"$."),
    (
        "a random number that is no function of (seed, purpose, index)",
        r"\bstd::(mt19937|minstd|default_random_engine|random_device|ranlux)|(?<![.\w])s?rand\s*\(",
        r"$.",
    ),
]
IMPURE = r"\bComm\b|\bstd::chrono\b|\b(secure_)?getenv\b|\bclock(_gettime)?\s*\(|\brandom_\w+"

FILE_LINES = (500, 550)
FUNCTION_LINES = (60, 90)
COMMAND_LINES = (80, 100)


def sources(root):
    """Paths below root of everything that is held to the rules."""
    for top in ("include", "src", "apps"):
        for folder, _, files in sorted(os.walk(os.path.join(root, top))):
            for name in sorted(files):
                if name.endswith((".hpp", ".cpp", ".h", ".cc")):
                    yield os.path.relpath(os.path.join(folder, name), root)


def room_of(path):
    """The room a file lives in; None where there is no such room."""
    parts = path.split("/")
    name = {"include": parts[2:3], "src": parts[1:2], "apps": ["apps"]}[parts[0]]
    return name[0] if name and name[0] in ROOMS else None


TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'",
    re.S,
)


def code_of(text):
    """The text without comments and literals; every line keeps its number."""

    def blank(match):
        kept = '""' if match.group(0)[0] in "\"R'" else " "
        return kept + "\n" * match.group(0).count("\n")

    return TOKEN.sub(blank, text)


def includes(text):
    """(line, header, in quotes) of every include; commented-out ones do not count."""
    plain = re.sub(r"/\*.*?\*/", lambda m: "\n" * m.group(0).count("\n"), text, flags=re.S)
    for number, line in enumerate(plain.split("\n"), 1):
        match = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
        if match:
            yield number, match.group(2), match.group(1) == '"'


def functions(code):
    """(first line, length) of every function; lambdas count with the function around them."""
    found, depth_of_function, start, stack, line, begin = [], None, 0, [], 1, None
    for position, char in enumerate(code):
        if char == "\n":
            line += 1
        elif begin is None and not char.isspace() and char not in "{};":
            begin, start = line, position
        if char == "{":
            head = code[start:position] if begin is not None else ""
            head = re.sub(r"^\s*#[^\n]*$", "", head, flags=re.M)
            is_function = (
                depth_of_function is None
                and re.search(r"\)[\s\w:&<>,*\->.(){}]*$", head)
                and not re.match(r"\s*(namespace|class|struct|enum|union)\b", head)
            )
            stack.append((begin or line, bool(is_function)))
            if is_function:
                depth_of_function = len(stack)
            begin = None
        elif char == "}" and stack:
            first, was_function = stack.pop()
            if was_function:
                found.append((first, line - first + 1))
                depth_of_function = None
            begin = None
        elif char == ";" and depth_of_function is None:
            begin = None
    return found


class Report:
    def __init__(self):
        self.errors, self.warnings = [], []

    def limit(self, where, what, lines, limits):
        """A warning above the first limit, an error above the second."""
        warn, fail = limits
        if lines > fail:
            self.errors.append(f"{where}: {what} has {lines} lines, at most {fail}")
        elif lines > warn:
            self.warnings.append(f"{where}: {what} has {lines} lines, better under {warn}")


def check_includes(path, text, known, report):
    """Checks one file's includes; returns the project's own files among them."""
    room, own = room_of(path), []
    allowed = {room, *ROOMS[room].split()}
    for number, header, quoted in includes(text):
        where = f"{path}:{number}"
        if header.startswith("wavetrain/"):
            target = header.split("/")[1]
            own.append("include/" + header)
            if target not in allowed:
                report.errors.append(f"{where}: room {room} may not include room {target}")
        elif quoted:
            beside = os.path.normpath(os.path.join(os.path.dirname(path), header))
            target = next((p for p in (beside, "src/" + header) if p in known), None)
            if target is None:
                report.errors.append(f"{where}: no such file: {header}")
                continue
            own.append(target)
            if room_of(target) != room:
                report.errors.append(
                    f"{where}: room {room} may not include what is behind the door"
                    f" of room {room_of(target)}"
                )
        else:
            for pattern, place in LIBRARIES.items():
                if re.fullmatch(pattern, header):
                    if not re.fullmatch(place, path):
                        report.errors.append(f"{where}: <{header}> may not be included here")
                    break
            else:
                if re.search(r"[./]", header) and not SYSTEM.fullmatch(header):
                    report.errors.append(f"{where}: <{header}>: an outside library without a place")
    return own


def check_text(path, text, report):
    """Checks what one file says and how long it is."""
    code = code_of(text)
    lines = code.split("\n")
    for name, pattern, place in FORBIDDEN:
        if not re.fullmatch(place, path):
            for number, line in enumerate(lines, 1):
                if re.search(pattern, line):
                    report.errors.append(f"{path}:{number}: {name}: {line.strip()}")
    if room_of(path) in PURE:
        for number, line in enumerate(lines, 1):
            if re.search(IMPURE, line) or re.search(r"#\s*include\s*<(chrono|random|ctime)>", line):
                report.errors.append(
                    f"{path}:{number}: room {room_of(path)} is pure: {line.strip()}"
                )
        if "wavetrain/base/random.hpp" in text:
            report.errors.append(f"{path}: room {room_of(path)} is pure: no random numbers")
    if not text.startswith("/// "):
        report.errors.append(
            f"{path}:1: the first line is no /// sentence that says what the file is"
        )
    report.limit(path, "the file", text.count("\n"), FILE_LINES)
    if path.startswith("apps/") and path not in ("apps/main.cpp",):
        report.limit(path, "the command", text.count("\n"), COMMAND_LINES)
    for first, length in functions(code):
        report.limit(f"{path}:{first}", "the function", length, FUNCTION_LINES)


def check_cycles(graph, report):
    """Finds include cycles by walking the graph depth first."""
    state = {}

    def visit(node, path):
        state[node] = "open"
        for target in graph.get(node, []):
            if state.get(target) == "open":
                cycle = path[path.index(target) :] + [target]
                report.errors.append("include cycle: " + " -> ".join(cycle))
            elif target not in state:
                visit(target, path + [target])
        state[node] = "done"

    for node in sorted(graph):
        if node not in state:
            visit(node, [node])


def check_document(root, report):
    """The table of rooms in docs/architecture.md says what is checked here."""
    path = os.path.join(root, "docs", "architecture.md")
    if not os.path.exists(path):
        return
    written = {}
    with open(path, encoding="utf-8") as file:
        for row in re.findall(r"^\| (\w+) \|[^|]*\| ([^|]*) \|", file.read(), re.M):
            if row[0] != "room":
                written[row[0]] = row[1].strip()
    words = {"–": "", "all above": ROOMS["config"], "doors only, not io": ROOMS["apps"]}
    for room, allowed in ROOMS.items():
        said = written.get(room)
        if said is None or set(words.get(said, said).split()) != set(allowed.split()):
            report.errors.append(
                f"docs/architecture.md: room {room} may include: {allowed}; the page says: {said}"
            )


def check(root):
    report, graph = Report(), {}
    check_document(root, report)
    paths = list(sources(root))
    for path in paths:
        if room_of(path) is None:
            report.errors.append(f"{path}: lives in no room of the table")
            continue
        with open(os.path.join(root, path), encoding="utf-8") as file:
            text = file.read()
        graph[path] = check_includes(path, text, set(paths), report)
        check_text(path, text, report)
    check_cycles(graph, report)
    return report, len(paths)


# Path, text, and a piece of the message that must come; None where nothing may be said.
LONG = "int f(int a) {\n" + "    a += 1;\n" * 95 + "    return a;\n}\n"
SEEDS = [
    ("src/base/a.cpp", '#include "wavetrain/comm/comm.hpp"\n', "may not include room comm"),
    ("src/train/a.cpp", '#include "wavetrain/engine/options.hpp"\n', "may not include room engine"),
    ("apps/train.cpp", '#include "wavetrain/io/h5.hpp"\n', "may not include room io"),
    ("src/data/a.cpp", '#include "io/inside.hpp"\n', "behind the door"),
    ("src/data/a.cpp", '#include "nowhere.hpp"\n', "no such file"),
    ("src/nowhere/a.cpp", "", "lives in no room"),
    ("include/wavetrain/base/x.hpp", '#include "wavetrain/base/y.hpp"\n', "include cycle"),
    ("src/base/a.cpp", "#include <omp.h>\n", "<omp.h> may not"),
    ("src/comm/a.cpp", "#include <fmt/format.h>\n", "<fmt/format.h> may not"),
    ("src/base/a.cpp", "#include <spdlog/spdlog.h>\n", "<spdlog/spdlog.h> may not"),
    ("src/config/a.cpp", "#include <nlohmann/json.hpp>\n", "<nlohmann/json.hpp> may not"),
    ("src/io/a.cpp", "#include <openssl/evp.h>\n", "<openssl/evp.h> may not"),
    ("src/train/a.cpp", "#include <mpi.h>\n", "<mpi.h> may not"),
    ("src/io/files.cpp", "#include <hdf5.h>\n", "<hdf5.h> may not"),
    ("src/config/a.cpp", "#include <toml++/toml.h>\n", "<toml++/toml.h> may not"),
    ("src/config/a.cpp", "#include <CLI/CLI.hpp>\n", "<CLI/CLI.hpp> may not"),
    ("src/engine/a.cpp", "#include <Eigen/Dense>\n", "<Eigen/Dense> may not"),
    ("src/engine/a.cpp", "#include <hwy/highway.h>\n", "<hwy/highway.h> may not"),
    ("src/base/a.cpp", "#include <boost/any.hpp>\n", "outside library without a place"),
    ("src/train/a.cpp", "int x = MPI_Init(0, 0);\n", "MPI_ outside"),
    ("src/engine/a.cpp", "#pragma omp parallel\n", "#pragma omp outside"),
    ("src/engine/a.cpp", "#ifdef FAST\n#endif\n", "#if outside"),
    ("src/engine/a.cpp", "void f() { std::cout << 1; }\n", "printing outside"),
    ("src/engine/a.cpp", 'void f() { printf("x"); }\n', "printing outside"),
    ("src/engine/a.cpp", "void f() { std::exit(1); }\n", "ending the process"),
    ("apps/train.cpp", "void f() { std::abort(); }\n", "ending the process"),
    ("src/engine/a.cpp", "using namespace std;\n", "using namespace"),
    ("src/data/a.cpp", "std::mt19937 generator(1);\n", "no function of (seed, purpose, index)"),
    ("src/circuit/a.cpp", "void f(Comm& comm);\n", "room circuit is pure"),
    ("src/compile/a.cpp", "#include <chrono>\n", "room compile is pure"),
    ("src/compile/a.cpp", 'auto x = std::getenv("X");\n', "room compile is pure"),
    ("src/circuit/a.cpp", '#include "wavetrain/base/random.hpp"\n', "no random numbers"),
    ("src/base/a.cpp", "int x;\n" * 560, "the file has"),
    ("apps/train.cpp", "int x;\n" * 110, "the command has"),
    ("src/base/a.cpp", LONG, "the function has 98 lines"),
    (
        "src/base/a.cpp",
        "namespace w {\nstruct S {\n" + LONG + "};\n}\n",
        "the function has 98 lines",
    ),
    ("src/base/a.cpp", "no sentence", "the first line is no"),
    ("docs/architecture.md", "| comm | ranks | base io | MPI |\n", "room comm may include"),
    # Nothing to complain about.
    ("src/comm/mpi.cpp", "#include <mpi.h>\nint x = MPI_Init(0, 0);\n", None),
    ("src/engine/kernels_x.cpp", "#include <hwy/highway.h>\n#if 1\n#endif\n", None),
    (
        "src/train/a.cpp",
        '// MPI_Init, std::cout\nauto x = "using namespace";\ncomm.abort(3);\n',
        None,
    ),
    ("src/base/a.cpp", "namespace w {\n" + "int f();\n" * 100 + "}\n", None),
    ("src/base/a.cpp", "#include <vector>\n#include <sys/stat.h>\n#include <unistd.h>\n", None),
]
BACKGROUND = {
    "include/wavetrain/base/y.hpp": '/// Y.\n#include "wavetrain/base/x.hpp"\n',
    "include/wavetrain/base/x.hpp": "/// X.\n",
    "src/io/inside.hpp": "/// Inside.\n",
}


def self_test():
    failures = 0
    for path, text, expected in SEEDS:
        with tempfile.TemporaryDirectory() as root:
            body = text if text == "no sentence" or path.endswith(".md") else "/// A file.\n" + text
            for name, content in {**BACKGROUND, path: body}.items():
                full = os.path.join(root, name)
                os.makedirs(os.path.dirname(full), exist_ok=True)
                with open(full, "w", encoding="utf-8") as file:
                    file.write(content)
            errors = check(root)[0].errors
        good = not errors if expected is None else any(expected in error for error in errors)
        if not good:
            failures += 1
            print(f"self-test: {path} {text[:60]!r}: expected {expected!r}, got {errors}")
    print(f"self-test: {len(SEEDS) - failures} of {len(SEEDS)} as expected")
    return 1 if failures else 0


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    root = arguments[0] if arguments else os.path.join(os.path.dirname(__file__), "..")
    report, files = check(root)
    for line in report.warnings:
        print("warning: " + line)
    for line in report.errors:
        print("error: " + line)
    print(f"{files} files, {len(report.errors)} errors, {len(report.warnings)} warnings")
    return 1 if report.errors or not files else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
