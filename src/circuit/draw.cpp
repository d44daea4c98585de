/// Text drawings: columns of cells, three lines a cell, neighbouring lines merged where they fit.
#include "wavetrain/circuit/draw.hpp"

#include "wavetrain/base/text.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

namespace wavetrain {
namespace {

constexpr std::size_t kLongestAngle = 24;

using Line = std::u32string;

Line decode(std::string_view text) {
    Line line;
    for (std::size_t i = 0; i < text.size();) {
        const auto first = static_cast<unsigned char>(text[i]);
        const std::size_t bytes = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
        char32_t code = bytes == 1 ? first : first & (0xFFU >> (bytes + 1));
        for (std::size_t k = 1; k < bytes && i + k < text.size(); ++k)
            code = (code << 6) | (static_cast<unsigned char>(text[i + k]) & 0x3F);
        line += code;
        i += bytes;
    }
    return line;
}

void encode(const Line& line, std::string& text) {
    for (const char32_t code : line) {
        if (code < 0x80) {
            text += static_cast<char>(code);
        } else if (code < 0x800) {
            text += static_cast<char>(0xC0 | (code >> 6));
            text += static_cast<char>(0x80 | (code & 0x3F));
        } else {
            text += static_cast<char>(0xE0 | (code >> 12));
            text += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
            text += static_cast<char>(0x80 | (code & 0x3F));
        }
    }
}

/// Multiples of pi as "π/2", other numbers to four digits.
std::string number_text(double value) {
    for (const int divisor : {1, 2, 3, 4, 6, 8, 12, 16}) {
        const double times = value / std::numbers::pi * divisor;
        const double whole = std::round(times);
        if (whole == 0 || std::abs(times - whole) > 1e-9 || std::abs(whole) > 64) continue;
        const std::string sign = whole < 0 ? "-" : "";
        const double size = std::abs(whole);
        const std::string front = size == 1 ? "" : format("{:.0f}", size);
        const std::string below = divisor == 1 ? "" : format("/{}", divisor);
        return sign + front + "π" + below;
    }
    return format("{:.4g}", value);
}

std::string angle_text(const Angle& angle, const std::vector<std::string>& symbols) {
    if (angle.is_constant()) return number_text(angle.value({}));
    std::string text = angle.text(symbols);
    const std::string pi = shortest(std::numbers::pi);
    for (std::size_t at = text.find(pi); at != std::string::npos; at = text.find(pi, at))
        text.replace(at, pi.size(), "π");
    if (decode(text).size() <= kLongestAngle) return text;
    std::string cut;
    encode(decode(text).substr(0, kLongestAngle - 1), cut);
    return cut + "…";
}

/// "H", "RX(π/2)", "X^0.25", "fSim(a, b)".
std::string box_text(const Operation& operation, const std::vector<std::string>& symbols) {
    std::string label(gate_info(operation.gate).label);
    std::vector<std::string> angles;
    for (const Angle& angle : operation.angles) angles.push_back(angle_text(angle, symbols));
    if (angles.empty()) return label;
    if (label.ends_with("^t")) {
        const bool plain = angles[0].find_first_of(" */(") == std::string::npos;
        return label.substr(0, label.size() - 1) + (plain ? angles[0] : "(" + angles[0] + ")");
    }
    label += "(";
    for (std::size_t i = 0; i < angles.size(); ++i) label += (i == 0 ? "" : ", ") + angles[i];
    return label + ")";
}

/// Whether exchanging the targets changes nothing.
bool is_symmetric(std::string_view gate) {
    for (const std::string_view name : {"swap", "iswap", "iswapdg", "swappow", "iswappow", "rxx",
                                        "ryy", "rzz", "xxpow", "yypow", "zzpow", "fsim"})
        if (gate == name) return true;
    return false;
}

/// What stands on one wire in one column.
struct Cell {
    Line text; ///< of a box, or one symbol
    bool box = false;
    bool up = false; ///< joined to the wire above
    bool down = false;
};

/// The cells of one operation by qubit.
std::map<int, Cell> cells_of(const Operation& operation, const std::vector<std::string>& symbols) {
    std::map<int, Cell> cells;
    const std::string_view name = gate_info(operation.gate).name;
    const std::string label = box_text(operation, symbols);
    const bool controlled = !operation.controls.empty();
    for (const Control& control : operation.controls)
        cells[control.qubit.index].text = control.value ? U"●" : U"○";
    if (operation.targets.empty() && controlled) { // a phase under negative controls
        Cell& cell = cells[operation.controls.back().qubit.index];
        cell.text = decode(operation.controls.back().value ? "● " + label : "○ " + label);
        cell.box = true;
    }
    constexpr std::string_view kDigits[] = {"₀", "₁", "₂", "₃", "₄", "₅"};
    for (std::size_t i = 0; i < operation.targets.size(); ++i) {
        Cell& cell = cells[operation.targets[i].index];
        cell.box = false;
        if (name == "x" && controlled)
            cell.text = U"⊕";
        else if (name == "z" && controlled)
            cell.text = U"●";
        else if (name == "swap")
            cell.text = U"×";
        else
            cell.box = true;
        if (!cell.box) continue;
        std::string text = label;
        if (name == "pauli_rotation")
            text += format(" {}", operation.paulis[i]);
        else if (operation.targets.size() > 1 && !is_symmetric(name))
            text += kDigits[std::min<std::size_t>(i, 5)];
        cell.text = decode(text);
    }
    return cells;
}

struct Column {
    std::map<int, Cell> cells;
    std::size_t width = 1; ///< without the wire on both sides
};

class Drawing {
public:
    explicit Drawing(const Circuit& circuit) : circuit_(circuit) {
        levels_.assign(static_cast<std::size_t>(circuit.qubits), 0);
        for (const Operation& operation : circuit.operations) place(operation);
        for (int q = 0; q < circuit.qubits; ++q)
            margin_ = std::max(margin_, format("q{}: ", q).size());
    }

    std::string text(std::size_t width) const {
        std::string result;
        std::size_t first = 0;
        while (first < columns_.size() || first == 0) {
            const std::size_t last = fitting(first, width);
            if (first > 0) result += "\n";
            block(first, last, result);
            if (last >= columns_.size()) break;
            first = last;
        }
        for (const std::string& phase : phases_) result += "global phase: " + phase + "\n";
        return result;
    }

private:
    void place(const Operation& operation) {
        std::map<int, Cell> cells = cells_of(operation, circuit_.symbols);
        if (cells.empty()) {
            phases_.push_back(angle_text(operation.angles[0], circuit_.symbols));
            return;
        }
        const int top = cells.begin()->first;
        const int bottom = cells.rbegin()->first;
        const auto begin = levels_.begin() + top;
        const auto end = levels_.begin() + bottom + 1;
        const std::size_t level = *std::max_element(begin, end);
        std::fill(begin, end, level + 1);
        if (level >= columns_.size()) columns_.resize(level + 1);
        Column& column = columns_[level];
        for (int q = top; q <= bottom; ++q) {
            Cell& cell = cells[q];
            cell.up = q > top;
            cell.down = q < bottom;
            if (cell.text.empty()) cell.text = U"┼";
            column.width = std::max(column.width, cell.text.size() + (cell.box ? 4 : 0));
            column.cells[q] = cell;
        }
    }

    /// The column after the last that fits on a line with `first`.
    std::size_t fitting(std::size_t first, std::size_t width) const {
        if (width == 0) return columns_.size();
        std::size_t used = margin_ + 4; // « ... »
        std::size_t last = first;
        while (last < columns_.size()) {
            used += columns_[last].width + 1;
            if (used > width && last > first) break;
            ++last;
        }
        return last;
    }

    static Line middle(const Line& text, std::size_t width, char32_t fill) {
        const std::size_t left = (width - text.size()) / 2;
        return Line(left, fill) + text + Line(width - text.size() - left, fill);
    }

    /// Top, middle or bottom (0, 1, 2) line of a cell.
    static Line cell_line(const Column& column, int qubit, int which) {
        const auto found = column.cells.find(qubit);
        const char32_t blank = which == 1 ? U'─' : U' ';
        if (found == column.cells.end()) return Line(column.width, blank);
        const Cell& cell = found->second;
        const bool joined = which == 0 ? cell.up : cell.down;
        if (!cell.box) {
            if (which == 1) return middle(cell.text, column.width, U'─');
            return middle(joined ? U"│" : U" ", column.width, U' ');
        }
        const std::size_t inner = cell.text.size() + 2;
        if (which == 1) return middle(U"┤ " + cell.text + U" ├", column.width, U'─');
        Line edge(inner, U'─');
        // Where the line through the symbols of this column passes.
        const std::size_t left = (column.width - inner - 2) / 2;
        const std::size_t at = (column.width - 1) / 2 - left - 1;
        if (joined) edge[at] = which == 0 ? U'┴' : U'┬';
        const Line box = which == 0 ? U"┌" + edge + U"┐" : U"└" + edge + U"┘";
        return middle(box, column.width, U' ');
    }

    Line line(std::size_t first, std::size_t last, int qubit, int which) const {
        const bool wire = which == 1;
        const Line name = decode(wire ? format("q{}: ", qubit) : "");
        Line result = Line(margin_ - name.size(), U' ') + name;
        if (first > 0) result += wire ? U"«" : U" ";
        result += wire ? U'─' : U' ';
        for (std::size_t c = first; c < last; ++c) {
            result += cell_line(columns_[c], qubit, which);
            result += wire ? U'─' : U' ';
        }
        if (wire && last < columns_.size()) result += U'»';
        return result;
    }

    static bool is_blank(const Line& line) { return line.find_first_not_of(U' ') == Line::npos; }

    /// Both lines on one, where they do not get into each other's way.
    static bool merge(const Line& above, const Line& below, Line& both) {
        both = above;
        for (std::size_t i = 0; i < both.size(); ++i) {
            if (below[i] == U' ' || below[i] == both[i]) continue;
            if (both[i] != U' ') return false;
            both[i] = below[i];
        }
        // Boxes of both qubits side by side would share a line only if they never touch.
        for (std::size_t i = 0; i < both.size(); ++i)
            if (above[i] == below[i] && above[i] != U' ' && above[i] != U'│') return false;
        return true;
    }

    void block(std::size_t first, std::size_t last, std::string& result) const {
        Line pending;
        const auto put = [&](Line text) {
            text.erase(text.find_last_not_of(U' ') + 1);
            encode(text, result);
            result += '\n';
        };
        for (int q = 0; q < circuit_.qubits; ++q) {
            const Line top = line(first, last, q, 0);
            Line both;
            if (q == 0) {
                if (!is_blank(top)) put(top);
            } else if (merge(pending, top, both)) {
                put(both);
            } else {
                put(pending);
                put(top);
            }
            put(line(first, last, q, 1));
            pending = line(first, last, q, 2);
        }
        if (circuit_.qubits > 0 && !is_blank(pending)) put(pending);
    }

    const Circuit& circuit_;
    std::vector<std::size_t> levels_;
    std::vector<Column> columns_;
    std::vector<std::string> phases_;
    std::size_t margin_ = 0;
};

} // namespace

std::string draw(const Circuit& circuit, int width) {
    return Drawing(circuit).text(static_cast<std::size_t>(std::max(width, 0)));
}

} // namespace wavetrain
