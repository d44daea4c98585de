/// Units of work: which executions a batch needs, how they are cut, which rank does which.
#pragma once

#include "wavetrain/model/table.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace wavetrain {

/// The numbers first ... last-1.
struct Range {
    std::size_t first = 0;
    std::size_t last = 0;

    std::size_t size() const { return last - first; }
    bool operator==(const Range&) const = default;
};

/// The executions of one cone that a batch needs, in the order of the samples that come first.
struct Executions {
    std::vector<std::size_t> samples; ///< per execution: the first sample that it stands for
    std::vector<std::size_t> of;      ///< per sample: its execution
};

/// One execution for all samples whose rows of `keys` are the same to the bit. Linear in the size
/// of `keys`.
Executions merged_executions(const Table& keys);
/// An execution for each sample.
Executions separate_executions(std::size_t samples);

/// 0 ... count-1 in pieces of `micro_batch`; the last one may be shorter.
std::vector<Range> micro_batches(std::size_t count, std::size_t micro_batch);

/// The rank of each unit: the most expensive first, each to the rank with the least to do so far.
std::vector<int> share_out(std::span<const double> costs, int ranks);

} // namespace wavetrain
