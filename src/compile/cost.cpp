/// The cost model.
#include "wavetrain/compile/cost.hpp"

#include <cmath>

namespace wavetrain {
namespace {

double block_flops(const Block& block) {
    const auto amplitudes = std::exp2(static_cast<double>(block.positions));
    if (block.kind == Block::Kind::enter) return 8.0 * amplitudes;
    if (block.kind == Block::Kind::pauli_rotation) return 8.0 * 2.0 * amplitudes;
    double selected = amplitudes;
    for (std::uint64_t mask = block.control_mask; mask != 0; mask &= mask - 1) selected /= 2;
    return 8.0 * std::exp2(static_cast<double>(block.targets.size())) * selected;
}

double observable_flops(const Cone& cone) {
    double terms = 0;
    for (const auto& observable : cone.terms) terms += static_cast<double>(observable.size());
    return 4.0 * terms * std::exp2(static_cast<double>(cone.layout.size()));
}

/// Shifted executions that the angles of a block call for.
double shifts_of(const Plan& plan, const Block& block) {
    double count = 0;
    for (int index : block.operations) {
        const Operation& operation = plan.circuit.operations[static_cast<std::size_t>(index)];
        for (std::size_t a = 0; a < operation.angles.size(); ++a) {
            if (operation.angles[a].is_constant()) continue;
            const auto spectrum = frequencies(operation, static_cast<int>(a));
            if (!spectrum.empty()) count += 2.0 * std::round(spectrum.back() / spectrum.front());
        }
    }
    return count;
}

} // namespace

double forward_flops(const Cone& cone) {
    double sum = observable_flops(cone);
    for (const Block& block : cone.blocks) sum += block_flops(block);
    return sum;
}

double adjoint_flops(const Cone& cone) {
    double blocks = 0;
    for (const Block& block : cone.blocks) blocks += block_flops(block);
    // Two undone states and the transition matrix, which costs about as much as a block.
    return forward_flops(cone) + observable_flops(cone) + 3.0 * blocks;
}

double shift_flops(const Plan& plan, const Cone& cone) {
    double sum = forward_flops(cone);
    double after = observable_flops(cone); // what follows the block at hand, itself included
    for (std::size_t i = cone.blocks.size(); i-- > 0;) {
        after += block_flops(cone.blocks[i]);
        sum += shifts_of(plan, cone.blocks[i]) * after;
    }
    return sum;
}

} // namespace wavetrain
