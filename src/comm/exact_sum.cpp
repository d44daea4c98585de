/// Kulisch's long accumulator: doubles as integers of ten limbs.
#include "wavetrain/comm/exact_sum.hpp"

#include "wavetrain/base/error.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace wavetrain {
namespace {

constexpr int kLimbBits = 32;
constexpr int kLowestBit = 192;     // limb 0 counts multiples of 2^-192
constexpr int kMantissaBits = 52;   // stored bits of a double's mantissa
constexpr int kExponentBias = 1075; // of the mantissa read as an integer
constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
constexpr std::uint64_t kMantissa = (std::uint64_t{1} << kMantissaBits) - 1;
constexpr std::uint64_t kLimbMask = (std::uint64_t{1} << kLimbBits) - 1;
constexpr std::uint64_t kLargest = std::bit_cast<std::uint64_t>(0x1p127);

/// Adds one double to its ten limbs; false if it is not finite or too large.
inline bool add_term(std::int64_t* limbs, double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const std::uint64_t magnitude = bits & ~kSign;
    // Doubles without their sign are ordered as integers, infinities and NaN above all numbers.
    if (magnitude > kLargest) [[unlikely]]
        return false;
    const auto exponent = static_cast<int>(magnitude >> kMantissaBits);
    std::uint64_t mantissa = magnitude & kMantissa;
    mantissa |= std::uint64_t{exponent != 0} << kMantissaBits; // subnormals have no hidden bit
    const int position = std::max(exponent, 1) - kExponentBias + kLowestBit;
    mantissa >>= std::min(std::max(-position, 0), 63); // cut below 2^-192
    const int lowest = std::max(position, 0);
    // 53 bits shifted by up to 43 touch three limbs; starting at limb 7 at the latest keeps all
    // three inside: the largest term ends with bit 319, the last of limb 9.
    const int limb = std::min(lowest / kLimbBits, ExactSums::kLimbs - 3);
    const auto wide = static_cast<unsigned __int128>(mantissa) << (lowest - limb * kLimbBits);
    const std::int64_t sign = static_cast<std::int64_t>(bits) >> 63; // 0 or -1
    for (int i = 0; i < 3; ++i) {
        const auto part = static_cast<std::int64_t>(
            static_cast<std::uint64_t>(wide >> (i * kLimbBits)) & kLimbMask);
        limbs[limb + i] += (part ^ sign) - sign;
    }
    return true;
}

/// The digits of a sum in base 2^32, lowest first: limbs with their carries done. 2^31 terms need
/// one digit more than there are limbs.
struct Digits {
    std::array<std::uint32_t, ExactSums::kLimbs + 1> digit{};
    std::int64_t rest = 0; // what is left above: 0, or -1 if the sum is negative
};

Digits carried(const std::int64_t* limbs, int sign) {
    Digits digits;
    __int128 carry = 0;
    for (std::size_t i = 0; i < digits.digit.size(); ++i) {
        if (i < std::size_t{ExactSums::kLimbs}) carry += static_cast<__int128>(limbs[i]) * sign;
        digits.digit[i] = static_cast<std::uint32_t>(carry);
        carry >>= kLimbBits;
    }
    digits.rest = static_cast<std::int64_t>(carry);
    return digits;
}

double rounded(const std::int64_t* limbs) {
    Digits digits = carried(limbs, 1);
    const bool negative = digits.rest < 0;
    if (negative) digits = carried(limbs, -1);
    int top = static_cast<int>(digits.digit.size()) - 1;
    while (top >= 0 && digits.digit[static_cast<std::size_t>(top)] == 0) --top;
    if (top < 0) return 0.0;
    // Three digits from the top hold at least 65 significant bits. The last one stands for all
    // bits below, so that converting them rounds the whole number, once, to nearest even.
    unsigned __int128 window = 0;
    for (int i = top; i > top - 3; --i)
        window = (window << kLimbBits) | (i >= 0 ? digits.digit[static_cast<std::size_t>(i)] : 0U);
    for (int i = top - 3; i >= 0; --i)
        if (digits.digit[static_cast<std::size_t>(i)] != 0) window |= 1U;
    const double value =
        std::ldexp(static_cast<double>(window), (top - 2) * kLimbBits - kLowestBit);
    return negative ? -value : value;
}

} // namespace

ExactSums::ExactSums(std::size_t sums, std::size_t counters)
    : sums_(sums), raw_(sums * kLimbs + counters + 1) {}

void ExactSums::add(std::size_t index, double value) {
    if (!add_term(raw_.data() + index * kLimbs, value)) [[unlikely]]
        ++raw_.back();
}

void ExactSums::add(std::size_t offset, std::span<const double> values) {
    promise(offset + values.size() <= sums_, "ExactSums::add: more values than sums");
    std::int64_t* limbs = raw_.data() + offset * kLimbs;
    std::int64_t bad_terms = 0;
    for (const double value : values) {
        bad_terms += add_term(limbs, value) ? 0 : 1;
        limbs += kLimbs;
    }
    raw_.back() += bad_terms;
}

void ExactSums::count(std::size_t counter, std::int64_t amount) {
    raw_[sums_ * kLimbs + counter] += amount;
}

void ExactSums::merge(const ExactSums& other) {
    promise(other.sums_ == sums_ && other.raw_.size() == raw_.size(),
            "ExactSums::merge: another shape");
    for (std::size_t i = 0; i < raw_.size(); ++i) raw_[i] += other.raw_[i];
}

void ExactSums::clear() { std::fill(raw_.begin(), raw_.end(), 0); }

double ExactSums::value(std::size_t index) const { return rounded(raw_.data() + index * kLimbs); }

std::vector<double> ExactSums::values(std::size_t offset, std::size_t count) const {
    std::vector<double> result(count);
    for (std::size_t i = 0; i < count; ++i) result[i] = value(offset + i);
    return result;
}

std::int64_t ExactSums::counter(std::size_t index) const { return raw_[sums_ * kLimbs + index]; }

bool ExactSums::bad() const { return raw_.back() != 0; }

} // namespace wavetrain
