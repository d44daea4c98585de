/// A file's samples as named columns, before they become a data set; private to the data room.
#pragma once

#include "wavetrain/base/error.hpp"
#include "wavetrain/data/dataset.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace wavetrain {

/// Named columns of numbers, row-major, and where each came from, for errors.
struct DataTable {
    std::vector<std::string> columns;
    std::vector<double> values; ///< rows x columns
    std::size_t rows = 0;
    std::vector<Place> column_places;
    std::vector<int> row_lines; ///< the line of each row; empty: the file has no lines

    double at(std::size_t row, std::size_t column) const {
        return values[row * columns.size() + column];
    }
    /// The place of a whole row, as exact as it is known.
    Place row_place(std::size_t row) const;
    /// " (row 3)" where rows have no line of their own, counted from 0.
    std::string row_text(std::size_t row) const;
};

/// Reads the text of a CSV file: a header line, then one row of finite numbers a line.
DataTable parse_csv(const std::string& text, const std::string& file);

/// Reads an HDF5 file: excited_qubit, angle, label; or features and labels.
DataTable read_hdf5_table(const std::string& file);

/// The position of each label column by number (label; or label_0, label_1, ...); the features are
/// the others. A `usage` error if numbers are missing.
std::vector<std::size_t> label_columns(const DataTable& table);

/// A `usage` error where names are empty, or two columns have one name.
void check_columns(const DataTable& table);

/// The data set of a table: excitations over `qubits` qubits, or the features as they are.
Dataset dataset_from(const DataTable& table, int qubits);

/// Refuses, as an `environment` error that names both numbers of bytes, what cannot be held in
/// memory: samples x columns doubles.
void check_memory(double samples, double columns);

} // namespace wavetrain
