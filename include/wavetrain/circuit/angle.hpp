/// Angles of gates: small differentiable expressions of a circuit's symbols.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace wavetrain {

/// An expression over symbols (numbered in their circuit) and constants. A value type.
class Angle {
public:
    enum class Op {
        constant,
        symbol,
        add,
        subtract,
        multiply,
        divide,
        power,
        negate,
        sin,
        cos,
        tan,
        exp,
        ln,
        sqrt,
    };

    /// A constant.
    Angle(double value = 0.0);
    /// The symbol with this number.
    static Angle symbol(int index);
    /// A function of one argument: negate, sin, ..., sqrt.
    static Angle apply(Op function, const Angle& argument);
    /// base ^ exponent.
    static Angle power(const Angle& base, const Angle& exponent);

    friend Angle operator+(const Angle& a, const Angle& b) { return combine(Op::add, a, b); }
    friend Angle operator-(const Angle& a, const Angle& b) { return combine(Op::subtract, a, b); }
    friend Angle operator*(const Angle& a, const Angle& b) { return combine(Op::multiply, a, b); }
    friend Angle operator/(const Angle& a, const Angle& b) { return combine(Op::divide, a, b); }
    friend Angle operator-(const Angle& a) { return apply(Op::negate, a); }

    bool is_constant() const;
    /// The number of nodes of the tree.
    std::size_t size() const { return nodes_.size(); }
    /// The symbols that occur, ascending, each once.
    std::vector<int> symbols() const;
    /// The value where symbol s has values[s].
    double value(std::span<const double> values) const;
    /// One partial derivative.
    struct Partial {
        int symbol;
        double derivative;
    };
    /// The partial derivatives at `values`: each symbol that occurs once, ascending. (Reverse
    /// accumulation. A power's derivative in its exponent is taken only if a symbol occurs there,
    /// so that a negative base with a constant exponent is fine.)
    std::vector<Partial> gradient(std::span<const double> values) const;
    /// The same expression with symbol s replaced by replacements[s].
    Angle substitute(std::span<const Angle> replacements) const;
    /// The expression as text with the given symbol names, in OpenQASM 3's spelling.
    std::string text(std::span<const std::string> names) const;

    bool operator==(const Angle&) const = default;

private:
    /// A node of the tree in postorder; arguments are indices of earlier nodes.
    struct Node {
        Op op = Op::constant;
        int left = -1;
        int right = -1;
        int symbol = -1;
        double constant = 0.0;

        bool operator==(const Node&) const = default;
    };

    static Angle combine(Op op, const Angle& a, const Angle& b);
    int append(const Angle& other);
    void evaluate(std::span<const double> values, std::span<double> results) const;
    std::string node_text(int node, int outer_precedence, std::span<const std::string> names) const;

    std::vector<Node> nodes_; // the last is the root
};

} // namespace wavetrain
