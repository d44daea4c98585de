/// Exact sums against schoolbook arithmetic, bit by bit.
#include "catch.hpp"
#include "wavetrain/base/random.hpp"
#include "wavetrain/comm/exact_sum.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <limits>

using namespace wavetrain;

namespace {

/// A signed integer of 400 bits in units of 2^-192, as the list of its bits (two's complement).
class Bits {
public:
    void add(double value) {
        int exponent = 0;
        const double fraction = std::frexp(std::abs(value), &exponent); // value = fraction * 2^e
        std::array<bool, kBits> term{};
        double rest = fraction;
        for (int i = 1; i <= 53; ++i) {
            rest *= 2;
            const bool one = rest >= 1;
            if (one) rest -= 1;
            const int position = exponent - i + 192;
            if (one && position >= 0) term[static_cast<std::size_t>(position)] = true;
        }
        if (value < 0) term = negated(term);
        bits_ = sum(bits_, term, false);
    }

    /// Rounded to nearest, ties to even, by the definition.
    double rounded() const {
        const bool negative = bits_.back();
        const auto magnitude = negative ? negated(bits_) : bits_;
        int top = kBits - 1;
        while (top >= 0 && !magnitude[static_cast<std::size_t>(top)]) --top;
        const int last = std::max(top - 52, 0);
        double mantissa = 0;
        for (int i = top; i >= last; --i)
            mantissa = 2 * mantissa + (magnitude[static_cast<std::size_t>(i)] ? 1 : 0);
        const bool half = last > 0 && magnitude[static_cast<std::size_t>(last - 1)];
        bool more = false;
        for (int i = 0; i < last - 1; ++i) more = more || magnitude[static_cast<std::size_t>(i)];
        if (half && (more || std::fmod(mantissa, 2) == 1)) mantissa += 1;
        const double value = std::ldexp(mantissa, last - 192);
        return negative ? -value : value;
    }

private:
    static constexpr int kBits = 400;

    static std::array<bool, kBits> sum(const std::array<bool, kBits>& a,
                                       const std::array<bool, kBits>& b, bool carry) {
        std::array<bool, kBits> result{};
        for (std::size_t i = 0; i < kBits; ++i) {
            const int total = int{a[i]} + int{b[i]} + int{carry};
            result[i] = total % 2 == 1;
            carry = total >= 2;
        }
        return result;
    }
    static std::array<bool, kBits> negated(std::array<bool, kBits> bits) {
        for (bool& bit : bits) bit = !bit;
        return sum(bits, {}, true);
    }

    std::array<bool, kBits> bits_{};
};

std::uint64_t bits_of(double value) { return std::bit_cast<std::uint64_t>(value); }

double exact(const std::vector<double>& terms) {
    ExactSums sums(1, 0);
    for (const double term : terms) sums.add(0, term);
    CHECK_FALSE(sums.bad());
    return sums.value(0);
}

double reference(const std::vector<double>& terms) {
    Bits bits;
    for (const double term : terms) bits.add(term);
    return bits.rounded();
}

/// A double with a random sign and mantissa and an exponent in [low, high].
double random_term(std::uint64_t index, int low, int high) {
    const double mantissa = 1 + random_uniform(1, Purpose::checks, index, 1);
    const auto choices = static_cast<std::uint64_t>(high - low + 1);
    const int exponent =
        low + static_cast<int>(random_bits(1, Purpose::checks, index, 2) % choices);
    const bool negative = random_bits(1, Purpose::checks, index, 3) % 2 == 1;
    return std::ldexp(negative ? -mantissa : mantissa, exponent);
}

} // namespace

TEST_CASE("one term comes back as it was, cut below 2^-192", "[comm]") {
    for (std::uint64_t i = 0; i < 300; ++i) {
        const double term = random_term(i, -140, 126);
        CHECK(bits_of(exact({term})) == bits_of(term));
        const double small = random_term(i, -230, -141);
        CHECK(bits_of(exact({small})) == bits_of(reference({small})));
    }
    for (const double term : {0x1p127, -0x1p127, 0x1.fffffffffffffp126, 0x1p-192, -0x1p-192, 1.0})
        CHECK(exact({term}) == term);
    for (const double term : {0.0, -0.0, 0x1p-193, -0x1.fffffffffffffp-193, 5e-324, 0x1p-1022})
        CHECK(bits_of(exact({term})) == bits_of(0.0));
    CHECK(exact({0x1.8p-192}) == 0x1p-192);   // cut, not rounded,
    CHECK(exact({-0x1.8p-192}) == -0x1p-192); // and toward zero on both sides
}

TEST_CASE("sums are the rounded exact value for terms of any size and in any order", "[comm]") {
    const std::array<std::array<int, 2>, 6> ranges = {
        {{-230, 126}, {-30, 30}, {0, 0}, {-192, -130}, {60, 126}, {-3, 70}}};
    std::uint64_t next = 1000;
    for (const auto& [low, high] : ranges)
        for (const std::size_t count : {2U, 3U, 10U, 100U}) {
            std::vector<double> terms(count);
            for (double& term : terms) term = random_term(next++, low, high);
            const double expected = reference(terms);
            INFO("exponents " << low << " to " << high << ", " << count << " terms");
            for (std::uint32_t shuffle = 0; shuffle < 3; ++shuffle) {
                std::vector<double> shuffled;
                for (const std::size_t i : random_permutation(1, Purpose::shuffle, count, shuffle))
                    shuffled.push_back(terms[i]);
                CHECK(bits_of(exact(shuffled)) == bits_of(expected));
            }
        }
}

TEST_CASE("ties go to even, and one bit far below breaks them", "[comm]") {
    constexpr double kHalf = 0x1p-53; // half a unit of the last place of 1
    CHECK(exact({1, kHalf}) == 1);
    CHECK(exact({1 + 2 * kHalf, kHalf}) == 1 + 4 * kHalf);
    CHECK(exact({1, kHalf, 0x1p-192}) == 1 + 2 * kHalf);
    CHECK(exact({1, kHalf, -0x1p-192}) == 1);
    CHECK(exact({-1, -kHalf, -0x1p-192}) == -1 - 2 * kHalf);
    CHECK(exact({1, -kHalf / 2}) == 1);
    CHECK(exact({0x1p127, 0x1p74, 0x1p-192}) == 0x1.0000000000001p127);
    CHECK(exact({0x1.fffffffffffffp126, 0x1p73}) == 0x1p127); // rounding carries to the top
}

TEST_CASE("what cancels leaves no trace", "[comm]") {
    std::vector<double> terms = {0x1p-150};
    for (std::uint64_t i = 0; i < 200; ++i) {
        terms.push_back(random_term(i, -100, 126));
        terms.push_back(-terms.back());
    }
    CHECK(exact(terms) == 0x1p-150);
    terms.push_back(-0x1p-150);
    CHECK(bits_of(exact(terms)) == bits_of(0.0));
    CHECK(exact({0x1p127, 1, -0x1p127, -2}) == -1);
}

TEST_CASE("many terms carry over limbs and past the top", "[comm]") {
    ExactSums sums(3, 0);
    constexpr int kTerms = 100000;
    for (int i = 0; i < kTerms; ++i) {
        sums.add(0, 0x1.fffffffffffffp31); // all bits of two limbs
        sums.add(1, -0x1p127);
        sums.add(2, i % 2 == 0 ? 0.1 : -0.1);
    }
    CHECK(sums.value(0) == 0x1.fffffffffffffp31 * kTerms); // one rounding on both sides
    CHECK(sums.value(1) == -0x1p127 * kTerms);
    CHECK(sums.value(2) == 0);
}

TEST_CASE("2^31 terms of one sign still fit", "[comm]") {
    // As limbs would look after that many terms: doubled by merging instead of added one by one.
    for (const double term : {0x1.fffffffffffffp126, -0x1.fffffffffffffp126}) {
        ExactSums sums(1, 0);
        sums.add(0, term);
        for (int doubling = 0; doubling < 31; ++doubling) {
            const ExactSums copy = sums;
            sums.merge(copy);
        }
        CHECK(sums.value(0) == std::ldexp(term, 31));
    }
}

TEST_CASE("terms that are not finite or too large set the bad flag and add nothing", "[comm]") {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    for (const double term : {kInfinity, -kInfinity, std::nan(""), 0x1.0000000000001p127,
                              -0x1.0000000000001p127, std::numeric_limits<double>::max()}) {
        ExactSums sums(2, 1);
        sums.add(0, 2.5);
        sums.add(0, term);
        CHECK(sums.bad());
        CHECK(sums.value(0) == 2.5);
        CHECK(sums.value(1) == 0);
        CHECK(sums.counter(0) == 0);
        sums.clear();
        CHECK_FALSE(sums.bad());
        CHECK(sums.value(0) == 0);
        sums.add(0, std::vector<double>{1, term});
        CHECK(sums.bad());
    }
}

TEST_CASE("vectors of sums, counters and merging", "[comm]") {
    ExactSums first(4, 2);
    ExactSums second(4, 2);
    first.add(1, std::vector<double>{0.1, 0.2, 0.3});
    second.add(0, std::vector<double>{1, 2, 3, 4});
    first.count(1, 5);
    second.count(1, -7);
    second.count(0, 3);
    second.add(3, std::nan(""));
    first.merge(second);
    CHECK(first.values(0, 4) == std::vector<double>{1, 2.1, 3.2, 4.3});
    CHECK(first.values(2, 1) == std::vector<double>{3.2});
    CHECK(first.counter(0) == 3);
    CHECK(first.counter(1) == -2);
    CHECK(first.bad());
    CHECK(first.size() == 4);
    CHECK_THROWS(first.merge(ExactSums(3, 2)));
    CHECK_THROWS(first.add(3, std::vector<double>{1, 2}));
}
