/// Tokens of OpenQASM.
#include "qasm_token.hpp"

#include "wavetrain/base/text.hpp"

#include <algorithm>
#include <cctype>

namespace wavetrain::qasm {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Letters, and every byte of a character beyond ASCII: OpenQASM 3 allows Greek names.
bool starts_identifier(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
}

bool continues_identifier(char c) { return starts_identifier(c) || is_digit(c); }

class Lexer {
public:
    Lexer(std::string_view source, const std::string& file) : source_(source), file_(file) {}

    std::vector<Token> run() {
        if (source_.starts_with("\xEF\xBB\xBF")) at_ = 3;
        while (skip_blanks()) read_token();
        if (in_pragma_) add(TokenKind::line_end, at_, 0);
        add(TokenKind::end, at_, 0);
        return std::move(tokens_);
    }

private:
    char peek(std::size_t ahead = 0) const {
        return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0';
    }

    /// Moves on by bytes of one line; columns count characters.
    void advance(std::size_t bytes) {
        for (std::size_t i = 0; i < bytes; ++i)
            if ((static_cast<unsigned char>(source_[at_++]) & 0xC0) != 0x80) ++column_;
    }

    void new_line() {
        if (in_pragma_) add(TokenKind::line_end, at_, 0);
        in_pragma_ = false;
        ++at_;
        ++line_;
        column_ = 1;
    }

    void add(TokenKind kind, std::size_t from, std::size_t length) {
        tokens_.push_back({kind, source_.substr(from, length), line_, column_});
    }

    template <class... Args> [[noreturn]] void error(format_string<Args...> text, Args&&... args) {
        fail_at(Place{file_, line_, column_}, Kind::usage, text, std::forward<Args>(args)...);
    }

    /// False at the end of the source.
    bool skip_blanks() {
        while (at_ < source_.size()) {
            const char c = peek();
            if (c == '\n')
                new_line();
            else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v')
                advance(1);
            else if (c == '/' && peek(1) == '/')
                advance(std::min(source_.find('\n', at_), source_.size()) - at_);
            else if (c == '/' && peek(1) == '*')
                skip_block_comment();
            else
                return true;
        }
        return false;
    }

    void skip_block_comment() {
        const std::size_t end = source_.find("*/", at_ + 2);
        if (end == std::string_view::npos) error("this comment has no end: '*/' is missing");
        while (at_ < end)
            if (peek() == '\n')
                new_line();
            else
                advance(1);
        advance(2);
    }

    void read_token() {
        const char c = peek();
        if (starts_identifier(c))
            read_identifier();
        else if (is_digit(c) || (c == '.' && is_digit(peek(1))))
            read_number();
        else if (c == '"' || c == '\'')
            read_string(c);
        else if (c == '#' && source_.substr(at_).starts_with("#pragma"))
            advance(1); // an older spelling; the word follows as an identifier
        else
            read_symbol();
    }

    void take(TokenKind kind, std::size_t length) {
        add(kind, at_, length);
        advance(length);
    }

    void read_identifier() {
        std::size_t length = 1;
        while (at_ + length < source_.size() && continues_identifier(peek(length))) ++length;
        if (!is_utf8(source_.substr(at_, length))) error("this name is not UTF-8");
        if (source_.substr(at_, length) == "pragma") in_pragma_ = true;
        take(TokenKind::identifier, length);
    }

    void read_number() {
        std::size_t length = 0;
        bool real = false;
        const auto digits = [&] {
            while (is_digit(peek(length)) || peek(length) == '_') ++length;
        };
        const char base = static_cast<char>(std::tolower(static_cast<unsigned char>(peek(1))));
        if (peek() == '0' && (base == 'x' || base == 'o' || base == 'b')) {
            length = 2;
            while (std::isxdigit(static_cast<unsigned char>(peek(length))) || peek(length) == '_')
                ++length;
        } else {
            digits();
            if (peek(length) == '.') {
                real = true;
                ++length;
                digits();
            }
            const bool exponent = peek(length) == 'e' || peek(length) == 'E';
            const bool sign = peek(length + 1) == '+' || peek(length + 1) == '-';
            if (exponent && is_digit(peek(length + (sign ? 2 : 1)))) {
                real = true;
                length += sign ? 2 : 1;
                digits();
            }
        }
        if (at_ + length < source_.size() && continues_identifier(peek(length)))
            error("'{}' is followed by '{}': neither a number nor a name (imaginary numbers and "
                  "durations are not supported)",
                  source_.substr(at_, length), source_.substr(at_ + length, 1));
        take(real ? TokenKind::real : TokenKind::integer, length);
    }

    void read_string(char quote) {
        const std::size_t end = source_.find_first_of(quote == '"' ? "\"\n" : "'\n", at_ + 1);
        if (end == std::string_view::npos || source_[end] == '\n')
            error("this text has no end: {} is missing", quote);
        add(TokenKind::string, at_ + 1, end - at_ - 1);
        advance(end + 1 - at_);
    }

    void read_symbol() {
        constexpr std::string_view kPairs[] = {"->", "**", "==", "!=", "<=", ">=", "&&", "||"};
        constexpr std::string_view kSingles = "()[]{};,:=+-*/^%@<>!&|~";
        for (const std::string_view pair : kPairs)
            if (source_.substr(at_).starts_with(pair)) return take(TokenKind::symbol, 2);
        const char c = peek();
        if (c == '$') error("physical qubits ('$0') are not supported: declare qubits");
        if (kSingles.find(c) == std::string_view::npos) {
            if (std::isprint(static_cast<unsigned char>(c))) error("unexpected character '{}'", c);
            error("unexpected byte 0x{:02x}: this is not a text",
                  static_cast<unsigned>(static_cast<unsigned char>(c)));
        }
        take(TokenKind::symbol, 1);
    }

    std::string_view source_;
    const std::string& file_;
    std::vector<Token> tokens_;
    std::size_t at_ = 0;
    int line_ = 1;
    int column_ = 1;
    bool in_pragma_ = false;
};

} // namespace

std::vector<Token> tokenize(std::string_view source, const std::string& file) {
    return Lexer(source, file).run();
}

std::string shown(const Token& token) {
    if (token.kind == TokenKind::end) return "the end of the file";
    if (token.kind == TokenKind::line_end) return "the end of the line";
    return format("'{}'", token.text);
}

Cursor::Cursor(std::string_view source, std::string file)
    : file_(std::move(file)), tokens_(tokenize(source, file_)) {}

const Token& Cursor::peek(std::size_t ahead) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
}

Token Cursor::next() {
    const Token token = peek();
    if (at_ + 1 < tokens_.size()) ++at_;
    return token;
}

bool Cursor::at(std::string_view symbol) const {
    return peek().kind == TokenKind::symbol && peek().text == symbol;
}

bool Cursor::accept(std::string_view symbol) {
    if (!at(symbol)) return false;
    next();
    return true;
}

void Cursor::expect(std::string_view symbol, std::string_view what) {
    if (!accept(symbol))
        fail_at(here(), Kind::usage, "expected '{}' {}, found {}", symbol, what, shown(peek()));
}

Token Cursor::expect_identifier(std::string_view what) {
    if (!at_identifier())
        fail_at(here(), Kind::usage, "expected {}, found {}", what, shown(peek()));
    return next();
}

} // namespace wavetrain::qasm
