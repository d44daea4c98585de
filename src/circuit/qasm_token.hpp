/// Tokens of OpenQASM, and a cursor over those of one file.
#pragma once

#include "wavetrain/base/error.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace wavetrain::qasm {

enum class TokenKind { identifier, integer, real, string, symbol, line_end, end };

/// A token; its text lies in the source (a string's without the quotes).
struct Token {
    TokenKind kind = TokenKind::end;
    std::string_view text;
    int line = 1;
    int column = 1; ///< in characters, from 1
};

/// Cuts a source into tokens, the last of kind `end`. A pragma's line ends with a `line_end`.
std::vector<Token> tokenize(std::string_view source, const std::string& file);

/// Walks over the tokens of one file.
class Cursor {
public:
    /// `source` must outlive the cursor.
    Cursor(std::string_view source, std::string file);

    const Token& peek(std::size_t ahead = 0) const;
    Token next();
    bool at(std::string_view symbol) const;
    bool at_identifier() const { return peek().kind == TokenKind::identifier; }
    /// Takes the symbol if it is next.
    bool accept(std::string_view symbol);
    /// Takes the symbol or fails; `what` says what stands before it.
    void expect(std::string_view symbol, std::string_view what);
    /// Takes an identifier or fails.
    Token expect_identifier(std::string_view what);

    const std::string& file() const { return file_; }
    Place place(const Token& token) const { return {file_, token.line, token.column}; }
    Place here() const { return place(peek()); }

private:
    std::string file_;
    std::vector<Token> tokens_;
    std::size_t at_ = 0;
};

/// A token as it is shown in messages: 'x' or "the end of the file".
std::string shown(const Token& token);

} // namespace wavetrain::qasm
