/// Data sets: generated excitations, files as features and labels, which rows train.
#include "wavetrain/data/dataset.hpp"

#include "table.hpp"

#include "wavetrain/base/machine.hpp"
#include "wavetrain/base/random.hpp"
#include "wavetrain/base/text.hpp"
#include "wavetrain/io/atomic_file.hpp"
#include "wavetrain/io/file_kind.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <set>

namespace wavetrain {

namespace {

std::vector<std::string> excitation_columns(int qubits) {
    std::vector<std::string> names;
    names.reserve(static_cast<std::size_t>(qubits));
    for (int qubit = 0; qubit < qubits; ++qubit) names.push_back(format("excitation_{}", qubit));
    return names;
}

std::optional<std::size_t> find_column(const DataTable& table, std::string_view name) {
    const auto found = std::find(table.columns.begin(), table.columns.end(), name);
    if (found == table.columns.end()) return std::nullopt;
    return static_cast<std::size_t>(found - table.columns.begin());
}

/// The number of a column label_N, nothing for any other name (label_01 and label_x are features).
std::optional<std::size_t> label_number(const std::string& name) {
    constexpr std::string_view kPrefix = "label_";
    if (!name.starts_with(kPrefix)) return std::nullopt;
    const std::string_view digits = std::string_view(name).substr(kPrefix.size());
    const auto number = parse_integer(digits);
    if (!number || *number < 0 || std::to_string(*number) != digits) return std::nullopt;
    return static_cast<std::size_t>(*number);
}

void read_labels(const DataTable& table, const std::vector<std::size_t>& columns, Dataset& set) {
    set.lines = table.row_lines;
    set.label_width = columns.size();
    set.labels.reserve(table.rows * columns.size());
    for (std::size_t row = 0; row < table.rows; ++row)
        for (const std::size_t column : columns) set.labels.push_back(table.at(row, column));
}

Dataset excitations_from(const DataTable& table, std::size_t qubit_column, std::size_t angle_column,
                         const std::vector<std::size_t>& labels, int qubits) {
    for (std::size_t column = 0; column < table.columns.size(); ++column)
        if (column != qubit_column && column != angle_column &&
            std::find(labels.begin(), labels.end(), column) == labels.end())
            fail_at(table.column_places[column], Kind::usage,
                    "a file of excitations has no column '{}', only excited_qubit, angle and label",
                    table.columns[column]);
    check_memory(static_cast<double>(table.rows), qubits);
    Dataset set;
    set.columns = excitation_columns(qubits);
    set.samples = table.rows;
    set.features.assign(table.rows * set.columns.size(), 0.0);
    for (std::size_t row = 0; row < table.rows; ++row) {
        const double qubit = table.at(row, qubit_column);
        if (qubit != std::floor(qubit))
            fail_at(table.row_place(row), Kind::usage, "excited_qubit must be an integer, not {}{}",
                    shortest(qubit), table.row_text(row));
        if (qubit < 0 || qubit >= qubits)
            fail_at(table.row_place(row), Kind::usage,
                    "excited_qubit {} is out of range: the model has the qubits 0 to {}{}",
                    shortest(qubit), qubits - 1, table.row_text(row));
        set.features[row * set.columns.size() + static_cast<std::size_t>(qubit)] =
            table.at(row, angle_column);
    }
    read_labels(table, labels, set);
    return set;
}

} // namespace

Place DataTable::row_place(std::size_t row) const {
    const std::string file = column_places.empty() ? "" : column_places.front().file;
    return row < row_lines.size() ? Place{file, row_lines[row], 1} : Place{file};
}

std::string DataTable::row_text(std::size_t row) const {
    return row_lines.empty() ? format(" (row {})", row) : "";
}

void check_columns(const DataTable& table) {
    std::set<std::string> seen;
    for (std::size_t column = 0; column < table.columns.size(); ++column) {
        const std::string& name = table.columns[column];
        if (name.empty())
            fail_at(table.column_places[column], Kind::usage, "column {} has no name", column + 1);
        if (!seen.insert(name).second)
            fail_at(table.column_places[column], Kind::usage, "the column '{}' occurs twice", name);
    }
}

std::vector<std::size_t> label_columns(const DataTable& table) {
    const auto single = find_column(table, "label");
    std::vector<std::pair<std::size_t, std::size_t>> numbered;
    for (std::size_t column = 0; column < table.columns.size(); ++column)
        if (const auto number = label_number(table.columns[column]))
            numbered.emplace_back(*number, column);
    std::sort(numbered.begin(), numbered.end());
    if (single && !numbered.empty())
        fail_at(table.column_places[numbered.front().second], Kind::usage,
                "there are both 'label' and '{}'", table.columns[numbered.front().second]);
    if (single) return {*single};
    std::vector<std::size_t> columns;
    for (const auto& [number, column] : numbered) {
        if (number != columns.size())
            fail_at(table.column_places[column], Kind::usage, "there is '{}' but no 'label_{}'",
                    table.columns[column], columns.size());
        columns.push_back(column);
    }
    return columns;
}

Dataset dataset_from(const DataTable& table, int qubits) {
    const Place whole{table.column_places.empty() ? "" : table.column_places.front().file};
    if (table.rows == 0) fail_at(whole, Kind::usage, "there are no samples in the file");
    const std::vector<std::size_t> labels = label_columns(table);
    const auto qubit_column = find_column(table, "excited_qubit");
    const auto angle_column = find_column(table, "angle");
    if (qubit_column && angle_column)
        return excitations_from(table, *qubit_column, *angle_column, labels, qubits);

    Dataset set;
    std::vector<std::size_t> features;
    for (std::size_t column = 0; column < table.columns.size(); ++column) {
        if (std::find(labels.begin(), labels.end(), column) != labels.end()) continue;
        features.push_back(column);
        set.columns.push_back(table.columns[column]);
    }
    if (features.empty()) fail_at(whole, Kind::usage, "the file has labels but no feature columns");
    set.samples = table.rows;
    set.features.reserve(table.rows * features.size());
    for (std::size_t row = 0; row < table.rows; ++row)
        for (const std::size_t column : features) set.features.push_back(table.at(row, column));
    read_labels(table, labels, set);
    return set;
}

void check_memory(double samples, double columns) {
    const double bytes = samples * columns * sizeof(double);
    constexpr double kHarmless = 1e7;
    if (bytes < kHarmless) return;
    const std::uint64_t available = available_memory_bytes();
    if (bytes > static_cast<double>(available))
        fail(Kind::environment,
             "the data do not fit in memory: {} samples x {} columns take {:.0f} bytes, {} are "
             "available",
             samples, columns, bytes, available);
}

Dataset generate_excitations(int qubits, std::int64_t rounds, std::uint64_t seed) {
    promise(qubits >= 1 && rounds >= 1, "data: at least one qubit and one round");
    check_memory(static_cast<double>(rounds) * qubits, qubits);
    const auto width = static_cast<std::size_t>(qubits);
    Dataset set;
    set.columns = excitation_columns(qubits);
    set.samples = static_cast<std::size_t>(rounds) * width;
    set.features.assign(set.samples * width, 0.0);
    set.label_width = 1;
    set.labels.reserve(set.samples);
    for (std::size_t sample = 0; sample < set.samples; ++sample) {
        const double uniform = random_uniform(seed, Purpose::data, sample);
        // The interval is open: the one number that would give -pi gives 0.
        const double angle = uniform > 0 ? std::numbers::pi * (2 * uniform - 1) : 0.0;
        set.features[sample * width + sample % width] = angle;
        set.labels.push_back(std::abs(angle) <= std::numbers::pi / 2 ? 1.0 : -1.0);
    }
    return set;
}

Dataset read_dataset(const std::string& file, int qubits) {
    switch (file_kind(file)) {
    case FileKind::hdf5: return dataset_from(read_hdf5_table(file), qubits);
    case FileKind::text: return dataset_from(parse_csv(read_text(file), file), qubits);
    case FileKind::binary: break;
    }
    fail(Kind::environment, "cannot read '{}': it is neither a CSV nor a whole HDF5 file", file);
}

Dataset make_dataset(const DataOptions& options, int qubits) {
    if (options.source.empty())
        fail(Kind::usage, "data.source is missing: \"excitations\", \"csv\" or \"hdf5\"");
    if (options.source == "excitations")
        return generate_excitations(qubits, options.rounds, options.seed);
    if (options.file.empty())
        fail(Kind::usage, "data.file is missing: data.source = \"{}\" needs it", options.source);
    const FileKind kind = file_kind(options.file);
    if (options.source == "csv" && kind == FileKind::hdf5)
        fail(Kind::usage, "'{}' is an HDF5 file, but data.source is \"csv\"", options.file);
    if (options.source == "hdf5" && kind != FileKind::hdf5)
        fail(Kind::environment, "cannot read '{}': it is not an HDF5 file", options.file);
    return read_dataset(options.file, qubits);
}

std::size_t train_rows(const DataOptions& options, std::size_t samples) {
    if (options.train_count >= 0) {
        const auto count = static_cast<std::size_t>(options.train_count);
        if (count == 0 || count > samples)
            fail(Kind::usage, "data.train_count is {}, but there are {} samples", count, samples);
        return count;
    }
    const auto count =
        static_cast<std::size_t>(static_cast<double>(samples) * options.train_fraction);
    if (count == 0 || count > samples)
        fail(Kind::usage,
             "data.train_fraction = {} of {} samples leaves {} to train: raise it or give "
             "data.train_count",
             shortest(options.train_fraction), samples, count);
    return count;
}

} // namespace wavetrain
