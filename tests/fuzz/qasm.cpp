/// Any text as OpenQASM: read or refused; what is read can be written and read again.
#include "fuzz.hpp"

#include "wavetrain/circuit/qasm.hpp"

using namespace wavetrain;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(fuzz::text_of(data, size));
    const TextReader no_files = [](const std::string& path) -> std::string {
        fail(Kind::environment, "cannot read '{}'", path);
    };
    fuzz::may_refuse([&] {
        const Circuit circuit = parse_qasm(text, "fuzz.qasm", no_files);
        // Many gates of many qubits are no matter of parsing.
        if (circuit.operations.size() > 500) return;
        const std::string written = write_qasm(circuit, 3);
        const Circuit again = parse_qasm(written, "written.qasm", no_files);
        // Gates outside stdgates are written as definitions, and read as what these stand for, and
        // inputs may be renamed; from then on nothing changes any more.
        fuzz::require(again.qubits == circuit.qubits);
        fuzz::require(again.symbols.size() == circuit.symbols.size());
        const std::string settled = write_qasm(again, 3);
        fuzz::require(write_qasm(parse_qasm(settled, "settled.qasm", no_files), 3) == settled);
    });
    return 0;
}
