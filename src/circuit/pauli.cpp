/// Pauli sums: parsing, products, text.
#include "wavetrain/circuit/pauli.hpp"

#include "wavetrain/base/text.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>

namespace wavetrain {
namespace {

/// Reads one sum, character by character.
class Reader {
public:
    Reader(std::string_view text, Place place) : text_(text), place_(std::move(place)) {}

    PauliSum read() {
        skip_blanks();
        if (at_end()) error("an observable is empty");
        double sign = read_sign().value_or(1.0);
        while (true) {
            read_term(sign);
            skip_blanks();
            if (at_end()) break;
            const auto next = read_sign();
            if (!next) error("expected '+' or '-' between terms");
            sign = *next;
        }
        return finish();
    }

private:
    bool at_end() const { return at_ >= text_.size(); }
    char peek() const { return at_end() ? '\0' : text_[at_]; }

    void skip_blanks() {
        while (!at_end() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    }

    template <class... Args> [[noreturn]] void error(format_string<Args...> text, Args&&... args) {
        const std::string what = format(text, std::forward<Args>(args)...);
        Place where = place_;
        if (where.column > 0) where.column += static_cast<int>(at_);
        fail_at(where, Kind::usage, "observable '{}', character {}: {}", text_, at_ + 1, what);
    }

    std::optional<double> read_sign() {
        if (peek() != '+' && peek() != '-') return std::nullopt;
        const double sign = text_[at_++] == '-' ? -1.0 : 1.0;
        skip_blanks();
        return sign;
    }

    double read_number() {
        double value = 0;
        const auto [end, code] =
            std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
        if (code == std::errc::result_out_of_range || !std::isfinite(value))
            error("the coefficient is not a finite number");
        if (code != std::errc()) error("expected a number");
        at_ = static_cast<std::size_t>(end - text_.data());
        return value;
    }

    void read_term(double sign) {
        PauliTerm term{sign, {}};
        word_.clear();
        phase_ = 0;
        read_factor(term);
        while (true) {
            skip_blanks();
            const bool star = peek() == '*';
            if (star) {
                ++at_;
                skip_blanks();
            }
            const char c = peek();
            if (!star && c != 'X' && c != 'Y' && c != 'Z' && c != 'I') break;
            read_factor(term);
        }
        if (phase_ % 2 != 0) error("this product is not Hermitian: it is imaginary");
        if (phase_ == 2) term.coefficient = -term.coefficient;
        for (const auto& [qubit, pauli] : word_) term.factors.push_back({Qubit{qubit}, pauli});
        if (!std::isfinite(term.coefficient)) error("the coefficient is not a finite number");
        terms_.push_back(std::move(term));
    }

    void read_factor(PauliTerm& term) {
        const char c = peek();
        if (c == 'X' || c == 'Y' || c == 'Z' || c == 'I') {
            ++at_;
            const bool has_index = std::isdigit(static_cast<unsigned char>(peek()));
            if (!has_index && c != 'I') error("expected a qubit number after '{}'", c);
            const int qubit = has_index ? read_qubit() : 0;
            if (c != 'I') multiply(qubit, c);
        } else if (std::isdigit(static_cast<unsigned char>(c)) || c == '.') {
            term.coefficient *= read_number();
        } else if (at_end()) {
            error("expected a number or a Pauli such as Z0, found the end");
        } else {
            error("expected a number or a Pauli such as Z0, found '{}'", c);
        }
    }

    int read_qubit() {
        int qubit = 0;
        const auto [end, code] =
            std::from_chars(text_.data() + at_, text_.data() + text_.size(), qubit);
        if (code != std::errc()) error("the qubit number is too large");
        at_ = static_cast<std::size_t>(end - text_.data());
        return qubit;
    }

    /// Multiplies the word from the right by one Pauli: XY = iZ and cyclic; phase_ counts i's.
    void multiply(int qubit, char right) {
        const auto found = word_.find(qubit);
        if (found == word_.end()) {
            word_[qubit] = right;
            return;
        }
        const char left = found->second;
        if (left == right) {
            word_.erase(found);
            return;
        }
        const int a = left - 'X';
        const int b = right - 'X';
        found->second = static_cast<char>('X' + (3 - a - b));
        phase_ = (phase_ + ((b - a + 3) % 3 == 1 ? 1 : 3)) % 4;
    }

    PauliSum finish() {
        PauliSum sum;
        for (PauliTerm& term : terms_) {
            const auto same =
                std::find_if(sum.terms.begin(), sum.terms.end(),
                             [&](const PauliTerm& t) { return t.factors == term.factors; });
            if (same == sum.terms.end())
                sum.terms.push_back(std::move(term));
            else
                same->coefficient += term.coefficient;
        }
        for (const PauliTerm& term : sum.terms)
            if (!std::isfinite(term.coefficient))
                error("the sum of equal terms is not a finite number");
        return sum;
    }

    std::string_view text_;
    Place place_;
    std::size_t at_ = 0;
    std::map<int, char> word_;
    int phase_ = 0;
    std::vector<PauliTerm> terms_;
};

} // namespace

PauliSum parse_pauli_sum(std::string_view text, const Place& place) {
    return Reader(text, place).read();
}

std::string pauli_text(const PauliSum& sum) {
    std::string text;
    for (const PauliTerm& term : sum.terms) {
        const bool negative = std::signbit(term.coefficient);
        if (text.empty())
            text += negative ? "-" : "";
        else
            text += negative ? " - " : " + ";
        const double size = std::abs(term.coefficient);
        std::string word;
        for (const PauliFactor& factor : term.factors)
            word += format("{}{}{}", word.empty() ? "" : "*", factor.pauli, factor.qubit.index);
        if (word.empty())
            text += shortest(size);
        else
            text += size == 1.0 ? word : shortest(size) + "*" + word;
    }
    return text.empty() ? "0" : text;
}

int largest_qubit(const PauliSum& sum) {
    int largest = -1;
    for (const PauliTerm& term : sum.terms)
        for (const PauliFactor& factor : term.factors)
            largest = std::max(largest, factor.qubit.index);
    return largest;
}

std::vector<Qubit> support(const PauliSum& sum) {
    std::vector<Qubit> qubits;
    for (const PauliTerm& term : sum.terms)
        for (const PauliFactor& factor : term.factors) qubits.push_back(factor.qubit);
    std::sort(qubits.begin(), qubits.end());
    qubits.erase(std::unique(qubits.begin(), qubits.end()), qubits.end());
    return qubits;
}

} // namespace wavetrain
