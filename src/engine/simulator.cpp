/// Running programs: sweeps over the state, forwards and backwards.
#include "wavetrain/engine/simulator.hpp"

#include "execute.hpp"
#include "observe.hpp"
#include "pieces.hpp"
#include "wavetrain/base/parallel.hpp"

#include <algorithm>
#include <optional>

namespace wavetrain {
namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

/// Sums of a sweep are taken in at most so many parts, whatever the number of threads.
constexpr std::size_t kParts = 64;

/// The instructions of one sweep.
struct SweepProgram {
    Pieces pieces;
    std::vector<Instruction> instructions;
};

} // namespace

template <class Real> struct Simulator<Real>::Program {
    Program(const BoundCone& given, Lanes kind, int states, int thread_count, Steps steps)
        : bound(given), cone(given.cone()), lanes(kind), threads(std::max(thread_count, 1)),
          ket(static_cast<int>(cone.layout.size()), kind) {
        if (states > 1) bra.emplace(static_cast<int>(cone.layout.size()), kind);
        slots.reserve(2 * cone.blocks.size());
        if (steps == Steps::sweeps)
            for (const Sweep& sweep : cone.sweeps) add_sweep(sweep);
        else
            add_sweep({0, cone.blocks.size(), all_positions(ket.positions())});
        for (std::size_t s = 0; s < slots.size(); ++s) {
            const BoundBlock& numbers = bound.bound(first_block[s]);
            fill_slot(slots[s], cone.blocks[first_block[s]], numbers, -1);
            slots[s].identity = numbers.identity && !slots[s].pattern.flips();
        }
        bool scattered = false;
        for (const SweepProgram& sweep : sweeps) scattered = scattered || !sweep.pieces.whole();
        if (scattered)
            for (int t = 0; t < 2 * threads; ++t)
                buffers.emplace_back(largest_piece() * kGroupReals);
    }

    std::size_t largest_piece() const {
        std::size_t largest = 0;
        for (const SweepProgram& sweep : sweeps)
            largest = std::max(largest, sweep.pieces.groups_after());
        return largest;
    }

    void add_sweep(const Sweep& sweep) {
        const int before = sweep.first == 0 ? cone.start : cone.blocks[sweep.first - 1].positions;
        const int after =
            sweep.last == sweep.first ? before : cone.blocks[sweep.last - 1].positions;
        SweepProgram program{Pieces(sweep.positions, before, after, lanes), {}};
        for (std::size_t i = sweep.first; i < sweep.last; ++i) {
            const Block& block = cone.blocks[i];
            for (MadeInstruction& made :
                 make_instructions(block, block.positions, sweep.positions, lanes)) {
                Instruction& own = made.instruction;
                own.block = i;
                own.op = choose_op(bound.plan(), block, own, made.pattern);
                own.slot = find_slot(i, own.op, made.pattern);
                program.instructions.push_back(std::move(own));
            }
        }
        sweeps.push_back(std::move(program));
    }

    int find_slot(std::size_t index, Op op, const LanePattern& pattern) {
        const Block& block = cone.blocks[index];
        for (std::size_t s = 0; s < slots.size(); ++s)
            if (slots[s].family == block.family && slots[s].op == op && slots[s].pattern == pattern)
                return static_cast<int>(s);
        Slot<Real>& slot = slots.emplace_back();
        slot.family = block.family;
        slot.op = op;
        slot.pattern = pattern;
        slot.target_count = static_cast<int>(block.targets.size());
        slot.varying = block.varying;
        first_block.push_back(index);
        return static_cast<int>(slots.size()) - 1;
    }

    std::size_t width() const { return lanes == Lanes::executions ? kLanes : 1; }

    void bind(std::span<const std::vector<double>> executions) {
        for (std::size_t s = 0; s < slots.size(); ++s) {
            if (!slots[s].varying) continue;
            const Block& block = cone.blocks[first_block[s]];
            VaryingBlock& numbers = varying_block(s);
            bool identity = true;
            for (std::size_t l = 0; l < width(); ++l) {
                // Lanes without an execution repeat the last.
                const BoundBlock& own =
                    numbers.bind(executions[std::min(l, executions.size() - 1)]);
                fill_slot(slots[s], block, own,
                          lanes == Lanes::executions ? static_cast<int>(l) : -1);
                identity = identity && own.identity;
            }
            slots[s].identity = identity && !slots[s].pattern.flips();
        }
    }

    VaryingBlock& varying_block(std::size_t slot) {
        if (varying.empty()) varying.resize(slots.size());
        if (!varying[slot]) varying[slot].emplace(bound, cone.blocks[first_block[slot]]);
        return *varying[slot];
    }

    /// Calls body(part, values of the positions outside, ket, bra) for every piece of a sweep.
    /// Pieces of one part follow one another on one thread.
    template <class Body> void for_pieces(SweepProgram& sweep, bool both, bool back, Body&& body) {
        Pieces& pieces = sweep.pieces;
        if (pieces.whole()) {
            body(std::size_t{0}, std::uint64_t{0}, ket.data(), both ? bra->data() : nullptr);
            return;
        }
        const std::size_t parts = std::min(kParts, pieces.count());
        parallel_for(parts, threads, [&](std::size_t part, int worker) {
            const std::size_t first = part * pieces.count() / parts;
            const std::size_t last = (part + 1) * pieces.count() / parts;
            Real* own_ket = buffers[at(2 * worker)].data();
            Real* own_bra = buffers[at(2 * worker + 1)].data();
            for (std::size_t piece = first; piece < last; ++piece) {
                pieces.gather(piece, ket.data(), own_ket, back);
                if (both) pieces.gather(piece, bra->data(), own_bra, back);
                body(part, pieces.outer(piece), own_ket, own_bra);
                pieces.scatter(piece, own_ket, ket.data(), back);
                if (both) pieces.scatter(piece, own_bra, bra->data(), back);
            }
        });
    }

    /// Those of blocks [first, last).
    void run_sweep(SweepProgram& sweep, std::size_t first, std::size_t last) {
        for_pieces(sweep, false, false, [&](std::size_t, std::uint64_t outer, Real* psi, Real*) {
            for (const Instruction& instruction : sweep.instructions) {
                if (instruction.block < first || instruction.block >= last) continue;
                execute(instruction, slot_of(instruction), outer, psi, lanes);
            }
        });
    }

    const Slot<Real>& slot_of(const Instruction& instruction) const {
        if (replaced == instruction.block)
            for (const auto& [slot, own] : replacements)
                if (slot == instruction.slot) return own;
        return slots[at(instruction.slot)];
    }

    void back_sweep(SweepProgram& sweep, const std::vector<bool>& wanted) {
        std::size_t length = 0;
        std::vector<std::size_t> offsets;
        for (const Instruction& instruction : sweep.instructions) {
            offsets.push_back(length);
            if (!wanted[instruction.block]) continue;
            Slot<Real>& slot = slots[at(instruction.slot)];
            const std::size_t own = sums_length(slot.op, slot.target_count);
            slot.sums.resize(own, 0.0);
            length += own;
        }
        // With a single piece sums go where they belong; else into parts, joined in order.
        const bool whole = sweep.pieces.whole();
        const std::size_t parts = whole ? 0 : std::min(kParts, sweep.pieces.count());
        std::vector<double> sums(parts * length, 0.0);
        for_pieces(sweep, true, true,
                   [&](std::size_t part, std::uint64_t outer, Real* own_ket, Real* own_bra) {
                       for (std::size_t i = sweep.instructions.size(); i-- > 0;) {
                           const Instruction& instruction = sweep.instructions[i];
                           Slot<Real>& slot = slots[at(instruction.slot)];
                           double* place = nullptr;
                           if (wanted[instruction.block])
                               place = whole ? slot.sums.data()
                                             : sums.data() + part * length + offsets[i];
                           execute_back(instruction, slot, outer, own_ket, own_bra, lanes, place);
                       }
                   });
        for (std::size_t part = 0; part < parts; ++part)
            for (std::size_t i = sweep.instructions.size(); i-- > 0;) {
                const Instruction& instruction = sweep.instructions[i];
                if (!wanted[instruction.block]) continue;
                std::vector<double>& total = slots[at(instruction.slot)].sums;
                const double* own = sums.data() + part * length + offsets[i];
                for (std::size_t k = 0; k < total.size(); ++k) total[k] += own[k];
            }
    }

    Matrix fold(int family, std::size_t first, std::size_t last) const {
        Matrix result;
        for (std::size_t s = 0; s < slots.size(); ++s) {
            if (slots[s].family != family || slots[s].sums.empty()) continue;
            const Matrix part = fold_sums(slots[s], cone.blocks[first_block[s]], first, last);
            if (result.size() == 0)
                result = part;
            else
                result += part;
        }
        return result;
    }

    const BoundCone& bound;
    const Cone& cone;
    Lanes lanes;
    int threads;
    State<Real> ket;
    std::optional<State<Real>> bra;
    std::vector<SweepProgram> sweeps;
    std::vector<Slot<Real>> slots;
    std::vector<std::size_t> first_block;             // per slot
    std::vector<std::optional<VaryingBlock>> varying; // per slot
    std::vector<AlignedBuffer<Real>> buffers;
    std::size_t replaced = ~std::size_t{0};
    std::vector<std::pair<int, Slot<Real>>> replacements; // of slots, for the replaced block
};

template <class Real>
Simulator<Real>::Simulator(const BoundCone& bound, Lanes lanes, int states, int threads,
                           Steps steps)
    : program_(std::make_unique<Program>(bound, lanes, states, threads, steps)) {}

template <class Real> Simulator<Real>::~Simulator() = default;

template <class Real> std::size_t Simulator<Real>::width() const { return program_->width(); }

template <class Real> void Simulator<Real>::bind(std::span<const std::vector<double>> executions) {
    program_->bind(executions);
}

template <class Real> void Simulator<Real>::start() { program_->ket.reset(program_->cone.start); }

template <class Real> void Simulator<Real>::forward() {
    start();
    for (SweepProgram& sweep : program_->sweeps)
        program_->run_sweep(sweep, 0, program_->cone.blocks.size());
}

template <class Real> const State<Real>& Simulator<Real>::state() const { return program_->ket; }

template <class Real> std::vector<double> Simulator<Real>::expectations() {
    return observe(program_->cone, program_->ket, program_->threads);
}

template <class Real>
void Simulator<Real>::start_back(std::span<const std::vector<double>> upstream) {
    apply_observables(program_->cone, program_->ket, upstream, *program_->bra, program_->threads);
}

template <class Real> void Simulator<Real>::back(const std::vector<bool>& wanted) {
    // What varies is per execution: it starts afresh.
    for (Slot<Real>& slot : program_->slots)
        if (slot.varying) std::fill(slot.sums.begin(), slot.sums.end(), 0.0);
    for (std::size_t i = program_->sweeps.size(); i-- > 0;)
        program_->back_sweep(program_->sweeps[i], wanted);
}

template <class Real> Matrix Simulator<Real>::transition(int family) const {
    return program_->fold(family, 0, kLanes);
}

template <class Real> Matrix Simulator<Real>::transition(int family, std::size_t lane) const {
    const bool one = program_->lanes == Lanes::executions;
    return program_->fold(family, one ? lane : 0, one ? lane + 1 : kLanes);
}

template <class Real> void Simulator<Real>::clear_transitions() {
    for (Slot<Real>& slot : program_->slots) std::fill(slot.sums.begin(), slot.sums.end(), 0.0);
}

template <class Real>
void Simulator<Real>::copy_state_from(const Simulator& other, std::size_t block) {
    const Cone& cone = program_->cone;
    const int positions = block == 0 ? cone.start : cone.blocks[block - 1].positions;
    program_->ket.copy_from(other.program_->ket, positions);
}

template <class Real> void Simulator<Real>::apply_blocks(std::size_t first, std::size_t last) {
    for (SweepProgram& sweep : program_->sweeps) {
        if (sweep.instructions.empty()) continue;
        const std::size_t begin = sweep.instructions.front().block;
        const std::size_t end = sweep.instructions.back().block + 1;
        if (end <= first || begin >= last) continue;
        program_->run_sweep(sweep, first, last);
    }
}

template <class Real>
void Simulator<Real>::replace(std::size_t block, std::span<const BoundBlock> numbers) {
    program_->replaced = block;
    program_->replacements.clear();
    const bool each = program_->lanes == Lanes::executions && numbers.size() > 1;
    for (const SweepProgram& sweep : program_->sweeps)
        for (const Instruction& instruction : sweep.instructions) {
            if (instruction.block != block) continue;
            Slot<Real> slot = program_->slots[at(instruction.slot)];
            for (std::size_t l = 0; l < (each ? kLanes : 1); ++l)
                fill_slot(slot, program_->cone.blocks[block],
                          numbers[std::min(l, numbers.size() - 1)],
                          each ? static_cast<int>(l) : -1);
            slot.identity = false;
            program_->replacements.emplace_back(instruction.slot, std::move(slot));
        }
}

template <class Real> void Simulator<Real>::restore() { program_->replaced = ~std::size_t{0}; }

template class Simulator<float>;
template class Simulator<double>;

} // namespace wavetrain
