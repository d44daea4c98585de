/// Data sets: features and labels in memory, where they come from, which rows train.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace wavetrain {

/// Samples with named feature columns and labels, row-major.
struct Dataset {
    std::vector<std::string> columns;
    std::vector<double> features; ///< samples x columns
    std::size_t samples = 0;
    std::size_t label_width = 0; ///< numbers per label; 0: no labels
    std::vector<double> labels;  ///< samples x label_width
    std::vector<int> lines;      ///< of a text file: the line of each sample; else empty

    std::span<const double> row(std::size_t sample) const {
        return std::span(features).subspan(sample * columns.size(), columns.size());
    }
    std::span<const double> label(std::size_t sample) const {
        return std::span(labels).subspan(sample * label_width, label_width);
    }
};

/// The [data] table.
struct DataOptions {
    std::string source; ///< "excitations" | "csv" | "hdf5"; empty: none given
    std::string file;
    std::int64_t rounds = 20;
    double train_fraction = 0.7;
    std::int64_t train_count = -1; ///< -1: by train_fraction
    std::uint64_t seed = 1;
};

/// Cluster-state excitations: rounds x qubits samples; in every round each qubit once, in order;
/// angle uniform in (-pi, pi); label +1 if |angle| <= pi/2, else -1. Columns excitation_0 ...
/// excitation_{qubits-1}: the angle at the excited qubit, 0 elsewhere.
Dataset generate_excitations(int qubits, std::int64_t rounds, std::uint64_t seed);

/// Reads a CSV or HDF5 file (told apart by content). A file with the columns excited_qubit and
/// angle becomes excitation columns for `qubits` qubits; any other file keeps its feature columns.
/// Labels are the columns label or label_0, label_1, ...; they may be missing. Errors carry
/// file:line:col (CSV); a file without samples is a `usage` error.
Dataset read_dataset(const std::string& file, int qubits);

/// The data set of the options: generated, or read from `file`.
Dataset make_dataset(const DataOptions& options, int qubits);

/// How many of the first rows train: train_count, or int(samples x fraction) in double arithmetic.
/// A `usage` error if none would, or more than there are.
std::size_t train_rows(const DataOptions& options, std::size_t samples);

} // namespace wavetrain
