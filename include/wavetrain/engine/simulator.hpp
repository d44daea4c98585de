/// Runs a bound cone forwards and backwards: one execution, or kLanes of them at once.
#pragma once

#include "wavetrain/engine/bound.hpp"
#include "wavetrain/engine/state.hpp"

#include <memory>
#include <span>
#include <vector>

namespace wavetrain {

/// The blocks run in the plan's sweeps, or one by one on the whole state, so that a run can stop
/// between any two of them.
enum class Steps { sweeps, single_blocks };

/// A cone's states and what is done to them. Use: bind(), forward(), expectations(), and for
/// gradients start_back() and back(), again for the next executions; the transition matrices add up
/// until clear_transitions(). Plan, cone and bound cone must outlive it. One thread calls it; it
/// shares a large state out among `threads`.
template <class Real> class Simulator {
public:
    /// `states` is 1 (forward only) or 2. Throws std::bad_alloc.
    Simulator(const BoundCone& bound, Lanes lanes, int states, int threads,
              Steps steps = Steps::sweeps);
    ~Simulator();
    Simulator(const Simulator&) = delete;
    Simulator& operator=(const Simulator&) = delete;

    /// Executions that run at once: 1, or kLanes.
    std::size_t width() const;
    /// Binds the varying blocks, which begin as the bound cone has them, to 1 ... width()
    /// executions (values of all symbols of the circuit). Lanes without one repeat the last.
    void bind(std::span<const std::vector<double>> executions);

    /// |0...0> through all blocks. (Eager plans are run block by block: see run().)
    void forward();
    /// The state, or states.
    const State<Real>& state() const;
    /// Of the final state, for each execution the expectations of the cone's observables: width()
    /// rows. Single precision: divided by the norm, which drifts with the rounding of matrices.
    std::vector<double> expectations();

    /// The bra: for each execution the sum over j of upstream[row][j] O_j |ket>. Missing rows are
    /// 0.
    void start_back(std::span<const std::vector<double>> upstream);
    /// Undoes all blocks on ket and bra. `wanted`, per block: its transition matrix is taken.
    void back(const std::vector<bool>& wanted);
    /// The transition matrix M(r, c) = sum over the rest of conj(bra[r]) ket[c] before the blocks
    /// of a family, summed over those wanted and over all executions since clear_transitions().
    /// (For the ket before and the bra after a block with matrix U, 2 Re sum dU(r, c) M(r, c) is
    /// the derivative.) A Pauli rotation has the one element <bra|P|ket>.
    Matrix transition(int family) const;
    /// The same for one execution of the last back(), where the family varies.
    Matrix transition(int family, std::size_t lane) const;
    void clear_transitions();

    // With Steps::single_blocks, for the parameter-shift method, which runs parts again and again.

    /// |0...0>, before the first block.
    void start();
    /// Applies blocks [first, last) to the present state.
    void apply_blocks(std::size_t first, std::size_t last);
    /// The state of another simulator of the same cone and lanes, which stands before `block`.
    void copy_state_from(const Simulator& other, std::size_t block);
    /// Until restore(), `block` has other numbers: one for all executions or one for each.
    void replace(std::size_t block, std::span<const BoundBlock> numbers);
    void restore();

private:
    struct Program;
    std::unique_ptr<Program> program_;
};

extern template class Simulator<float>;
extern template class Simulator<double>;

} // namespace wavetrain
