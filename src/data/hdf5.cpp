/// HDF5 data files: one array a column, or all features in one array.
#include "table.hpp"

#include "wavetrain/base/format.hpp"
#include "wavetrain/io/h5.hpp"

#include <cmath>

namespace wavetrain {

namespace {

/// An array of one or two dimensions as rows of numbers, all of them finite.
struct Block {
    std::size_t rows = 0;
    std::size_t width = 1;
    std::vector<double> values;
};

Block read_block(const H5File& file, const std::string& name, bool one_column) {
    const std::vector<std::size_t> shape = file.shape(name);
    if (shape.empty() || shape.size() > (one_column ? 1U : 2U))
        fail_at({file.path()}, Kind::usage, "'{}' has {} dimensions, expected are {}", name,
                shape.size(), one_column ? "1" : "samples x columns");
    Block block{shape[0], shape.size() == 2 ? shape[1] : 1, {}};
    check_memory(static_cast<double>(block.rows), static_cast<double>(block.width));
    block.values = file.read(name);
    for (std::size_t index = 0; index < block.values.size(); ++index)
        if (!std::isfinite(block.values[index]))
            fail_at({file.path()}, Kind::usage, "'{}' holds a number that is not finite (row {})",
                    name, index / block.width);
    return block;
}

void append_columns(DataTable& table, const std::vector<std::string>& names, const Block& block,
                    const std::string& source, const std::string& path) {
    if (!table.columns.empty() && block.rows != table.rows)
        fail_at({path}, Kind::usage, "'{}' has {} rows, the data sets before it have {}", source,
                block.rows, table.rows);
    const std::size_t before = table.columns.size();
    std::vector<double> values;
    values.reserve(block.rows * (before + block.width));
    for (std::size_t row = 0; row < block.rows; ++row) {
        const auto old = table.values.begin() + static_cast<std::ptrdiff_t>(row * before);
        values.insert(values.end(), old, old + static_cast<std::ptrdiff_t>(before));
        const auto added = block.values.begin() + static_cast<std::ptrdiff_t>(row * block.width);
        values.insert(values.end(), added, added + static_cast<std::ptrdiff_t>(block.width));
    }
    table.values = std::move(values);
    table.rows = block.rows;
    table.columns.insert(table.columns.end(), names.begin(), names.end());
    table.column_places.resize(table.columns.size(), Place{path});
}

std::vector<std::string> numbered(const std::string& name, std::size_t count) {
    std::vector<std::string> names;
    for (std::size_t index = 0; index < count; ++index)
        names.push_back(format("{}_{}", name, index));
    return names;
}

void append_features(DataTable& table, const H5File& file) {
    const Block block = read_block(file, "features", false);
    std::vector<std::string> names = numbered("feature", block.width);
    if (file.has_attribute("features", "columns")) {
        names = file.texts("features", "columns");
        if (names.size() != block.width)
            fail_at({file.path()}, Kind::usage,
                    "'features' has {} columns, its attribute 'columns' names {}", block.width,
                    names.size());
    }
    append_columns(table, names, block, "features", file.path());
}

void append_labels(DataTable& table, const H5File& file, const std::string& name) {
    if (!file.has(name)) return;
    const Block block = read_block(file, name, false);
    const bool vector = file.shape(name).size() == 2;
    append_columns(table,
                   vector ? numbered("label", block.width) : std::vector<std::string>{"label"},
                   block, name, file.path());
}

} // namespace

DataTable read_hdf5_table(const std::string& path) {
    const H5File file = H5File::open(path);
    DataTable table;
    if (file.has("features")) {
        append_features(table, file);
        append_labels(table, file, "labels");
    } else if (file.has("excited_qubit") || file.has("angle")) {
        for (const std::string name : {"excited_qubit", "angle"})
            append_columns(table, {name}, read_block(file, name, true), name, path);
        append_labels(table, file, "label");
    } else {
        fail_at({path}, Kind::usage,
                "the file has neither the data sets 'excited_qubit' and 'angle' nor 'features'");
    }
    check_columns(table);
    return table;
}

} // namespace wavetrain
