/// From blocks to instructions and numbers.
#include "instruction.hpp"

#include "phases.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace wavetrain {
namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

/// Maps positions of the state to those of a piece, and those to lane bits and group bits.
class Geometry {
public:
    Geometry(std::span<const Position> piece, Lanes lanes)
        : piece_(piece), lane_bits_(lanes == Lanes::amplitudes ? kLaneBits : 0) {}

    int local(Position p) const {
        const auto found = std::lower_bound(piece_.begin(), piece_.end(), p);
        return found != piece_.end() && *found == p ? static_cast<int>(found - piece_.begin()) : -1;
    }
    std::uint64_t local(std::uint64_t mask) const {
        std::uint64_t result = 0;
        for (; mask != 0; mask &= mask - 1) {
            const int p = local(Position{std::countr_zero(mask)});
            if (p >= 0) result |= std::uint64_t{1} << p;
        }
        return result;
    }
    std::uint64_t outside(std::uint64_t mask) const {
        std::uint64_t result = 0;
        for (; mask != 0; mask &= mask - 1)
            if (local(Position{std::countr_zero(mask)}) < 0) result |= mask & (~mask + 1);
        return result;
    }
    bool in_lane(int local) const { return local < lane_bits_; }
    int vertical(int local) const { return local - lane_bits_; }
    /// The lane part and the group part of a mask of local positions.
    unsigned lane(std::uint64_t mask) const {
        return static_cast<unsigned>(mask & ((1U << lane_bits_) - 1));
    }
    std::size_t group(std::uint64_t mask) const { return mask >> lane_bits_; }
    int positions() const { return static_cast<int>(piece_.size()); }
    /// Groups of the piece if `count` of its positions are there.
    std::size_t groups(int count) const {
        return count <= lane_bits_ ? 1 : std::size_t{1} << (count - lane_bits_);
    }

private:
    std::span<const Position> piece_;
    int lane_bits_;
};

/// An X or a SWAP with vertical targets only moves groups.
bool is_swap(const Plan& plan, const Block& block, const LanePattern& pattern) {
    if (block.operations.size() != 1 || pattern.control_mask != 0) return false;
    if (pattern.lane_of_target[0] >= 0 || pattern.lane_of_target[1] >= 0) return false;
    const Operation& operation = plan.circuit.operations[at(block.operations.front())];
    const std::string_view name = gate_info(operation.gate).name;
    return name == "x" || name == "swap";
}

/// Positions that must have these values.
struct Controls {
    std::uint64_t mask = 0;
    std::uint64_t value = 0;
};

/// Grid and rows of a block whose targets are few.
void lay_out(Instruction& made, const Block& block, const Controls& controls,
             const Geometry& geometry, int active, LanePattern& pattern) {
    BlockTask& task = made.task;
    std::uint64_t fixed = geometry.group(geometry.local(controls.mask));
    task.grid.value = geometry.group(geometry.local(controls.value));
    pattern.control_mask = geometry.lane(geometry.local(controls.mask));
    pattern.control_value = geometry.lane(geometry.local(controls.value));
    std::array<std::size_t, 2> bits{};
    std::array<unsigned, 2> lane_bits{};
    std::size_t vertical = 0;
    std::size_t in_lanes = 0;
    for (std::size_t t = 0; t < block.targets.size(); ++t) {
        const int local = geometry.local(block.targets[t]);
        if (geometry.in_lane(local)) {
            pattern.lane_of_target[t] = local;
            lane_bits[in_lanes++] = 1U << local;
        } else {
            bits[vertical] = std::size_t{1} << geometry.vertical(local);
            fixed |= bits[vertical++];
        }
    }
    task.vertical = static_cast<int>(vertical);
    task.lane_targets = static_cast<int>(in_lanes);
    for (std::size_t r = 0; r < (std::size_t{1} << vertical); ++r)
        for (std::size_t b = 0; b < vertical; ++b)
            if ((r >> (vertical - 1 - b)) & 1) task.offsets[r] |= bits[b];
    for (std::size_t k = 0; k < (std::size_t{1} << in_lanes); ++k)
        for (std::size_t b = 0; b < in_lanes; ++b)
            if ((k >> (in_lanes - 1 - b)) & 1) task.lane_masks[k] |= lane_bits[b];
    for (; fixed != 0; fixed &= fixed - 1)
        task.grid.fixed[at(task.grid.fixed_count++)] = std::countr_zero(fixed);
    task.grid.bases = geometry.groups(active) >> task.grid.fixed_count;
}

/// The row of a block's matrix for a vertical combination and a lane.
class MatrixIndex {
public:
    MatrixIndex(const LanePattern& pattern, int targets) : pattern_(pattern), targets_(targets) {}

    Eigen::Index operator()(std::size_t row, std::size_t lane) const {
        Eigen::Index index = 0;
        int vertical = 0;
        for (int t = 0; t < targets_; ++t)
            if (pattern_.lane_of_target[at(t)] < 0) ++vertical;
        for (int t = 0; t < targets_; ++t) {
            const int lane_bit = pattern_.lane_of_target[at(t)];
            const std::size_t bit =
                lane_bit >= 0 ? (lane >> lane_bit) & 1 : (row >> --vertical) & 1;
            index = 2 * index + static_cast<Eigen::Index>(bit);
        }
        return index;
    }

private:
    const LanePattern& pattern_;
    int targets_;
};

/// Rows and exchanges of lanes of a pattern.
struct Shape {
    std::size_t rows = 1;
    std::size_t exchange_count = 1;
    std::array<unsigned, 4> exchanges{}; ///< masks of lanes

    Shape(const LanePattern& pattern, int targets) {
        for (int t = 0; t < targets; ++t) {
            if (pattern.lane_of_target[at(t)] < 0) {
                rows *= 2;
                continue;
            }
            for (std::size_t k = exchange_count; k-- > 0;) { // the first is the most significant
                exchanges[2 * k + 1] = exchanges[k] | (1U << pattern.lane_of_target[at(t)]);
                exchanges[2 * k] = exchanges[k];
            }
            exchange_count *= 2;
        }
    }
};

template <class Real> void put(Real* group, std::size_t lane, Complex value) {
    group[lane] = static_cast<Real>(value.real());
    group[kLanes + lane] = static_cast<Real>(value.imag());
}

/// Whether all lanes are alike: none is a target or a control.
bool is_alike(const LanePattern& pattern) {
    LanePattern none;
    none.flip = pattern.flip;
    return pattern == none;
}

/// Where all lanes are alike.
template <class Real> void fill_alike(Slot<Real>& slot, const Matrix& matrix) {
    const auto put_all = [](Real* group, Complex value) {
        std::fill_n(group, kLanes, static_cast<Real>(value.real()));
        std::fill_n(group + kLanes, kLanes, static_cast<Real>(value.imag()));
    };
    const Eigen::Index side = matrix.rows();
    const Eigen::Index flip = slot.pattern.flip;
    Real* forward = slot.forward.data();
    Real* backward = slot.backward.data();
    for (Eigen::Index r = 0; r < side; ++r)
        for (Eigen::Index c = 0; c < side; ++c) {
            if (slot.op == Op::diagonal && r != c) continue;
            put_all(forward, matrix(r, c ^ flip));
            put_all(backward, std::conj(matrix(c, r ^ flip)));
            forward += kGroupReals;
            backward += kGroupReals;
        }
}

template <class Real> void fill_matrix(Slot<Real>& slot, const Matrix& matrix, std::size_t lane) {
    const Shape shape(slot.pattern, slot.target_count);
    const MatrixIndex index(slot.pattern, slot.target_count);
    const bool selected = (lane & slot.pattern.control_mask) == slot.pattern.control_value;
    if (slot.op == Op::diagonal) {
        for (std::size_t r = 0; r < shape.rows; ++r) {
            const Eigen::Index i = index(r, lane);
            const Complex value = selected ? matrix(i, i) : Complex{1.0};
            put(slot.forward.data() + r * kGroupReals, lane, value);
            put(slot.backward.data() + r * kGroupReals, lane, std::conj(value));
        }
        return;
    }
    const std::size_t exchanges = shape.exchange_count;
    const std::size_t terms = shape.rows * exchanges;
    const Eigen::Index flip = slot.pattern.flip_of(lane); // no target's lane bit decides on it
    for (std::size_t r = 0; r < shape.rows; ++r)
        for (std::size_t c = 0; c < shape.rows; ++c)
            for (std::size_t k = 0; k < exchanges; ++k) {
                const Eigen::Index i = index(r, lane);
                const Eigen::Index j = index(c, lane ^ shape.exchanges[k]);
                const std::size_t entry = (r * terms + c * exchanges + k) * kGroupReals;
                const Complex unit = r == c && k == 0 ? 1.0 : 0.0;
                put(slot.forward.data() + entry, lane, selected ? matrix(i, j ^ flip) : unit);
                put(slot.backward.data() + entry, lane,
                    selected ? std::conj(matrix(j, i ^ flip)) : unit);
            }
}

template <class Real>
void fill_rotation(Slot<Real>& slot, const Block& block, double theta, std::size_t lane) {
    const bool selected = (lane & slot.pattern.control_mask) == slot.pattern.control_value;
    const double cosine = selected ? std::cos(theta / 2) : 1.0;
    const Complex factor =
        selected ? Complex{0, -1} * std::sin(theta / 2) * power_of_i(block.word.y_count) *
                       sign_of((lane ^ slot.pattern.x_lane) & slot.pattern.z_lane)
                 : Complex{0.0};
    // The cosines take the first group, the factors the second.
    slot.forward[lane] = slot.backward[lane] = static_cast<Real>(cosine);
    put(slot.forward.data() + kGroupReals, lane, factor);
    put(slot.backward.data() + kGroupReals, lane, -factor);
}

Instruction make_instruction(const Block& block, const Controls& controls, int there,
                             std::span<const Position> piece, const Geometry& geometry,
                             LanePattern& pattern) {
    // How many of the piece's positions are there when the block runs.
    int active = 0;
    for (Position p : piece)
        if (p.index < there) ++active;
    Instruction made;
    if (block.kind == Block::Kind::enter) {
        made.op = Op::enter;
        made.position = geometry.local(block.targets.front());
        const std::uint64_t signs = geometry.local(block.word.z_mask);
        made.word.z = geometry.group(signs);
        made.word.z_lane = geometry.lane(signs);
        made.outer_signs = geometry.outside(block.word.z_mask);
        return made;
    }
    if (block.kind == Block::Kind::pauli_rotation) {
        made.op = Op::rotation;
        const std::uint64_t x = geometry.local(block.word.x_mask);
        const std::uint64_t z = geometry.local(block.word.z_mask);
        made.word = {geometry.group(x), geometry.group(z), geometry.lane(x), geometry.lane(z)};
        made.control_mask = geometry.group(geometry.local(controls.mask));
        made.control_value = geometry.group(geometry.local(controls.value));
        made.task.grid.bases = geometry.groups(active);
        pattern.x_lane = made.word.x_lane;
        pattern.z_lane = made.word.z_lane;
        pattern.control_mask = geometry.lane(geometry.local(controls.mask));
        pattern.control_value = geometry.lane(geometry.local(controls.value));
        return made;
    }
    if (block.targets.size() > 2) {
        made.op = Op::general;
        for (Position p : block.targets) made.targets.push_back(geometry.local(p));
        made.general_mask = geometry.local(controls.mask);
        made.general_value = geometry.local(controls.value);
        made.position = active;
        return made;
    }
    lay_out(made, block, controls, geometry, active, pattern);
    const bool pair = block.targets.size() == 2; // a SWAP exchanges the rows 01 and 10
    made.row_a = pair ? 1 : 0;
    made.row_b = pair ? 2 : 1;
    return made;
}

} // namespace

std::vector<MadeInstruction> make_instructions(const Block& block, int there,
                                               std::span<const Position> piece, Lanes lanes) {
    const Geometry geometry(piece, lanes);
    const auto bit_of = [&](const Flip& flip) {
        return 1U << (block.targets.size() - 1 - at(flip.target));
    };
    LanePattern lane_flips;
    std::vector<Flip> vertical;
    std::size_t count = 0;
    for (const Flip& flip : block.flips) {
        const int local = geometry.local(flip.control);
        if (!geometry.in_lane(local)) {
            vertical.push_back(flip);
            continue;
        }
        const unsigned mask = 1U << local;
        lane_flips.lane_flips[count++] = {mask, flip.value ? mask : 0, bit_of(flip)};
    }
    std::vector<MadeInstruction> all;
    all.reserve(std::size_t{1} << vertical.size());
    for (std::size_t fired = 0; fired < (std::size_t{1} << vertical.size()); ++fired) {
        // The block for these values of the flips' controls alone.
        Controls controls{block.control_mask, block.control_value};
        MadeInstruction made{{}, lane_flips};
        for (std::size_t f = 0; f < vertical.size(); ++f) {
            const std::uint64_t control = std::uint64_t{1} << vertical[f].control.index;
            const bool fires = ((fired >> f) & 1) != 0;
            controls.mask |= control;
            if (fires == vertical[f].value) controls.value |= control;
            if (fires) made.pattern.flip ^= bit_of(vertical[f]);
        }
        made.instruction = make_instruction(block, controls, there, piece, geometry, made.pattern);
        all.push_back(std::move(made));
    }
    return all;
}

Op choose_op(const Plan& plan, const Block& block, const Instruction& made,
             const LanePattern& pattern) {
    if (made.op != Op::matrix || !block.flips.empty()) return made.op;
    if (is_swap(plan, block, pattern)) return Op::swap;
    const bool diagonal =
        std::all_of(block.operations.begin(), block.operations.end(), [&](int index) {
            return is_diagonal(plan.circuit, plan.circuit.operations[at(index)]);
        });
    return diagonal ? Op::diagonal : Op::matrix;
}

template <class Real>
void fill_slot(Slot<Real>& slot, const Block& block, const BoundBlock& numbers, int lane) {
    const bool all = lane < 0;
    switch (slot.op) {
    case Op::enter:
        for (int i = 0; i < 2; ++i) {
            slot.product[at(2 * i)] = static_cast<Real>(numbers.matrix(i, 0).real());
            slot.product[at(2 * i + 1)] = static_cast<Real>(numbers.matrix(i, 0).imag());
        }
        return;
    case Op::general:
        if (all)
            slot.matrices.assign(1, numbers.matrix);
        else {
            slot.matrices.resize(kLanes);
            slot.matrices[at(lane)] = numbers.matrix;
        }
        return;
    case Op::swap: return;
    case Op::rotation:
        for (std::size_t l = 0; l < kLanes; ++l)
            if (all || at(lane) == l) fill_rotation(slot, block, numbers.theta, l);
        return;
    case Op::matrix:
    case Op::diagonal:
        if (all && is_alike(slot.pattern)) {
            fill_alike(slot, numbers.matrix);
            return;
        }
        for (std::size_t l = 0; l < kLanes; ++l)
            if (all || at(lane) == l) fill_matrix(slot, numbers.matrix, l);
        return;
    }
}

template <class Real>
Matrix fold_sums(const Slot<Real>& slot, const Block& block, std::size_t first, std::size_t last) {
    const double* sums = slot.sums.data();
    if (slot.op == Op::rotation) {
        Complex total = 0;
        for (std::size_t l = first; l < last; ++l)
            if ((l & slot.pattern.control_mask) == slot.pattern.control_value)
                total += sign_of(l & slot.pattern.z_lane) * Complex{sums[l], sums[kLanes + l]};
        return Matrix::Constant(1, 1, power_of_i(block.word.y_count) * total);
    }
    const auto side = Eigen::Index{1} << slot.target_count;
    Matrix result = Matrix::Zero(side, side);
    if (slot.op == Op::general) {
        for (std::size_t l = first; l < last; ++l)
            for (Eigen::Index i = 0; i < side; ++i)
                for (Eigen::Index j = 0; j < side; ++j) {
                    const double* entry =
                        sums + 2 * (static_cast<std::size_t>(i * side + j) * kLanes + l);
                    result(i, j) += Complex{entry[0], entry[1]};
                }
        return result;
    }
    if (is_alike(slot.pattern)) { // rows are those of the matrix
        const Eigen::Index flip = slot.pattern.flip;
        for (Eigen::Index r = 0; r < side; ++r)
            for (Eigen::Index c = 0; c < side; ++c) {
                for (std::size_t l = first; l < last; ++l)
                    result(r, c ^ flip) += Complex{sums[l], sums[kLanes + l]};
                sums += kGroupReals;
            }
        return result;
    }
    const Shape shape(slot.pattern, slot.target_count);
    const MatrixIndex index(slot.pattern, slot.target_count);
    for (std::size_t r = 0; r < shape.rows; ++r)
        for (std::size_t c = 0; c < shape.rows; ++c)
            for (std::size_t k = 0; k < shape.exchange_count; ++k) {
                const unsigned exchange = shape.exchanges[k];
                for (std::size_t l = first; l < last; ++l)
                    if ((l & slot.pattern.control_mask) == slot.pattern.control_value)
                        result(index(r, l),
                               index(c, l ^ exchange) ^
                                   static_cast<Eigen::Index>(slot.pattern.flip_of(l))) +=
                            Complex{sums[l], sums[kLanes + l]};
                sums += kGroupReals;
            }
    return result;
}

std::size_t sums_length(Op op, int targets) {
    if (op == Op::rotation) return kGroupReals;
    if (op == Op::general) return 2 * kLanes * (std::size_t{1} << (2 * targets));
    return kGroupReals * (std::size_t{1} << (2 * targets));
}

template struct Slot<float>;
template struct Slot<double>;
template void fill_slot(Slot<float>&, const Block&, const BoundBlock&, int);
template void fill_slot(Slot<double>&, const Block&, const BoundBlock&, int);
template Matrix fold_sums(const Slot<float>&, const Block&, std::size_t, std::size_t);
template Matrix fold_sums(const Slot<double>&, const Block&, std::size_t, std::size_t);

} // namespace wavetrain
