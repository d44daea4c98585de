/// A state vector of one cone.
#pragma once

#include "wavetrain/base/aligned.hpp"
#include "wavetrain/compile/plan.hpp"

#include <complex>

namespace wavetrain {

/// The amplitudes of `positions` positions: all real parts, then all imaginary parts. Real is float
/// or double.
template <class Real> class State {
public:
    /// |0...0>. Throws std::bad_alloc.
    explicit State(int positions)
        : positions_(positions), size_(state_amplitudes(positions)), values_(2 * size_) {
        values_.data()[0] = Real{1};
    }

    int positions() const { return positions_; }
    std::size_t size() const { return size_; }
    Real* re() { return values_.data(); }
    Real* im() { return values_.data() + size_; }
    const Real* re() const { return values_.data(); }
    const Real* im() const { return values_.data() + size_; }

    Complex amplitude(std::size_t index) const { return {re()[index], im()[index]}; }
    /// Back to |0...0>.
    void reset();
    /// All zero: no state, but the start of a sum.
    void clear();
    /// The amplitudes of another state of the same size.
    void copy_from(const State& other);

private:
    int positions_;
    std::size_t size_;
    AlignedBuffer<Real> values_;
};

extern template class State<float>;
extern template class State<double>;

} // namespace wavetrain
