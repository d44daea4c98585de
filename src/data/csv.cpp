/// CSV files of numbers: small, strict, with the place of every mistake.
#include "table.hpp"

#include "wavetrain/base/text.hpp"

#include <cmath>
#include <string_view>

namespace wavetrain {

namespace {

struct Cell {
    std::string text;
    int column = 1; ///< where it begins, in characters from 1
};

/// The characters (not bytes) of a UTF-8 text.
int characters(std::string_view text) {
    int count = 0;
    for (const char c : text) count += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    return count;
}

/// The cells of one line (RFC 4180; a quoted cell may not hold a line end).
std::vector<Cell> split_line(std::string_view line, const Place& place) {
    std::vector<Cell> cells;
    std::size_t at = 0;
    while (true) {
        Cell cell;
        cell.column = 1 + characters(line.substr(0, at));
        if (at < line.size() && line[at] == '"') {
            ++at;
            while (true) {
                if (at >= line.size())
                    fail_at({place.file, place.line, cell.column}, Kind::usage,
                            "the quote is not closed");
                if (line[at] != '"') {
                    cell.text += line[at++];
                } else if (at + 1 < line.size() && line[at + 1] == '"') {
                    cell.text += '"';
                    at += 2;
                } else {
                    break;
                }
            }
            ++at;
            if (at < line.size() && line[at] != ',')
                fail_at({place.file, place.line, 1 + characters(line.substr(0, at))}, Kind::usage,
                        "a comma is expected after a closing quote");
        } else {
            const std::size_t end = std::min(line.find(',', at), line.size());
            cell.text = std::string(line.substr(at, end - at));
            at = end;
        }
        cells.push_back(std::move(cell));
        if (at >= line.size()) return cells;
        ++at;
    }
}

/// Lines without their ends (LF or CRLF), with their numbers; blank ones are left out.
template <class Take> void for_each_line(std::string_view text, Take take) {
    int number = 0;
    while (!text.empty()) {
        ++number;
        const std::size_t end = text.find('\n');
        std::string_view line = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (!trim(line).empty()) take(line, number);
    }
}

double number_of(const Cell& cell, const Place& place) {
    const auto value = parse_double(cell.text);
    if (!value) fail_at(place, Kind::usage, "'{}' is not a number", std::string(trim(cell.text)));
    if (!std::isfinite(*value))
        fail_at(place, Kind::usage, "numbers must be finite, not '{}'",
                std::string(trim(cell.text)));
    return *value;
}

} // namespace

DataTable parse_csv(const std::string& text, const std::string& file) {
    constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
    std::string_view rest = text;
    if (rest.starts_with(kByteOrderMark)) rest.remove_prefix(kByteOrderMark.size());
    DataTable table;
    bool header = true;
    for_each_line(rest, [&](std::string_view line, int number) {
        const std::vector<Cell> cells = split_line(line, {file, number, 1});
        if (header) {
            header = false;
            for (const Cell& cell : cells) {
                table.columns.emplace_back(trim(cell.text));
                table.column_places.push_back({file, number, cell.column});
            }
            check_columns(table);
            return;
        }
        if (cells.size() < table.columns.size())
            fail_at({file, number, 1 + characters(line)}, Kind::usage,
                    "the row has {} cells, the header has {}", cells.size(), table.columns.size());
        if (cells.size() > table.columns.size())
            fail_at({file, number, cells[table.columns.size()].column}, Kind::usage,
                    "the row has {} cells, the header has {}", cells.size(), table.columns.size());
        for (const Cell& cell : cells)
            table.values.push_back(number_of(cell, {file, number, cell.column}));
        table.row_lines.push_back(number);
        ++table.rows;
    });
    if (header) fail_at({file, 1, 1}, Kind::usage, "a header line with column names is expected");
    return table;
}

} // namespace wavetrain
