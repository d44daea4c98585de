/// OpenQASM: the door of the reader, and which version a text is.
#include "wavetrain/circuit/qasm.hpp"

#include "qasm_parser.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace wavetrain {
namespace {

/// By the OPENQASM line; without it version 2 if qelib1.inc is included, else version 3.
int version_of(const std::string& text, const std::string& file) {
    qasm::Cursor cursor(text, file);
    if (cursor.peek().text == "OPENQASM") return cursor.peek(1).text.starts_with('2') ? 2 : 3;
    while (cursor.peek().kind != qasm::TokenKind::end) {
        const qasm::Token token = cursor.next();
        if (token.text == "include" && cursor.peek().text == "qelib1.inc") return 2;
    }
    return 3;
}

} // namespace

std::string read_text_file(const std::string& path) {
    std::error_code error;
    if (std::filesystem::is_directory(path, error))
        fail(Kind::environment, "cannot read '{}': Is a directory", path);
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    if (file) text << file.rdbuf();
    if (!file || file.bad() || text.bad())
        fail(Kind::environment, "cannot read '{}': {}", path, std::strerror(errno));
    return text.str();
}

Circuit parse_qasm(const std::string& text, const std::string& file, const TextReader& read) {
    return qasm::Parser(read, version_of(text, file)).run(text, file);
}

} // namespace wavetrain
