/// Sums of doubles that do not depend on the order of their terms.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace wavetrain {

/// A vector of exact sums, with some integer counters beside them. Every double added is split
/// into ten 32-bit limbs held in int64 (weights 2^-192 ... 2^96; bits below 2^-192 are cut toward
/// zero); limbs are added as integers, so the result is the same in any order, on any number of
/// threads and ranks. Up to 2^31 terms a sum. Larger than 2^127, infinite or NaN terms set the bad
/// flag. (Kulisch's long accumulator, cut to the range that gradients need.)
class ExactSums {
public:
    static constexpr int kLimbs = 10;

    ExactSums(std::size_t sums, std::size_t counters);

    void add(std::size_t index, double value);
    /// Adds values[i] to sum offset + i.
    void add(std::size_t offset, std::span<const double> values);
    void count(std::size_t counter, std::int64_t amount);
    /// Adds all of another object of the same shape.
    void merge(const ExactSums& other);
    void clear();

    std::size_t size() const { return sums_; }
    /// The sum, rounded once to the nearest double (ties to even).
    double value(std::size_t index) const;
    std::vector<double> values(std::size_t offset, std::size_t count) const;
    std::int64_t counter(std::size_t index) const;
    /// True if any term was not finite or too large.
    bool bad() const;

    /// Limbs, counters and the bad flag as one span, for Comm::sum.
    std::span<std::int64_t> raw() { return raw_; }

private:
    std::size_t sums_;
    std::size_t counters_;
    std::vector<std::int64_t> raw_; // limbs of each sum, counters, bad flag
};

} // namespace wavetrain
