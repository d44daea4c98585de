/// Rows of numbers: a micro-batch on its way through the layers.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace wavetrain {

/// rows x width numbers, row-major.
struct Table {
    std::size_t rows = 0;
    std::size_t width = 0;
    std::vector<double> values;

    Table() = default;
    Table(std::size_t row_count, std::size_t column_count)
        : rows(row_count), width(column_count), values(row_count * column_count, 0.0) {}

    std::span<double> row(std::size_t r) { return std::span(values).subspan(r * width, width); }
    std::span<const double> row(std::size_t r) const {
        return std::span(values).subspan(r * width, width);
    }
};

} // namespace wavetrain
