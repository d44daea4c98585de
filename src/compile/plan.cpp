/// The compiler: cones, fusion, layout.
#include "wavetrain/compile/plan.hpp"

#include "cones.hpp"
#include "flips.hpp"
#include "fusion.hpp"
#include "late.hpp"
#include "runs.hpp"
#include "sweeps.hpp"
#include "wavetrain/base/machine.hpp"

#include <algorithm>
#include <bit>

namespace wavetrain {
namespace {

constexpr int kMostPositions = 62;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

/// Position of each qubit of the circuit in one cone; -1 where it is not there.
using Places = std::vector<int>;

std::uint64_t bit(const Places& places, Qubit q) { return std::uint64_t{1} << places[at(q.index)]; }

PauliWord place_word(const Places& places, std::span<const PauliFactor> factors) {
    PauliWord word;
    for (const PauliFactor& factor : factors) {
        if (factor.pauli != 'Z') word.x_mask |= bit(places, factor.qubit);
        if (factor.pauli != 'X') word.z_mask |= bit(places, factor.qubit);
        if (factor.pauli == 'Y') ++word.y_count;
    }
    return word;
}

Block make_block(const Circuit& circuit, const FusedGroup& group, const Places& places) {
    Block block;
    block.operations = group.operations;
    block.varying = group.varying;
    const Operation& first = circuit.operations[at(group.operations.front())];
    // One gate alone keeps its controls as controls; a product of several needs the full matrix.
    const bool alone = group.operations.size() == 1;
    for (Qubit q : alone ? first.targets : group.qubits)
        block.targets.push_back(Position{places[at(q.index)]});
    if (alone) {
        for (const Control& control : first.controls) {
            block.control_mask |= bit(places, control.qubit);
            if (control.value) block.control_value |= bit(places, control.qubit);
        }
    }
    if (gate_info(first.gate).name == "pauli_rotation") {
        block.kind = Block::Kind::pauli_rotation;
        std::vector<PauliFactor> factors;
        for (std::size_t i = 0; i < first.targets.size(); ++i)
            if (first.paulis[i] != 'I') factors.push_back({first.targets[i], first.paulis[i]});
        block.word = place_word(places, factors);
        block.targets.clear();
    }
    return block;
}

/// The entry of a qubit, with the CZs to those that are there.
Block make_entry(const Circuit& circuit, const Entries& entries, Qubit qubit,
                 const Places& places) {
    Block block;
    block.kind = Block::Kind::enter;
    block.targets = {Position{places[at(qubit.index)]}};
    const Entry& entry = entries.qubits[at(qubit.index)];
    block.operations = entry.product;
    for (Qubit partner : entry.partners)
        if (places[at(partner.index)] >= 0) block.word.z_mask |= bit(places, partner);
    const auto add_signs = [&](Qubit q) {
        for (int index : entries.qubits[at(q.index)].signs) {
            const std::vector<Qubit> pair = touched_qubits(circuit.operations[at(index)]);
            const Qubit other = pair[0] == qubit ? pair[1] : pair[0];
            if ((pair[0] == qubit || pair[1] == qubit) && places[at(other.index)] >= 0)
                block.operations.push_back(index);
        }
    };
    for (int q = 0; q < circuit.qubits; ++q) add_signs(Qubit{q});
    return block;
}

/// All qubits are there from the start, in their own order.
void add_all_blocks(const Plan& plan, const ConeShape& shape, std::span<const int> operations,
                    bool fusion, Cone& cone, Places& places) {
    for (int q = 0; q < plan.circuit.qubits; ++q) {
        if (!shape.qubits[at(q)]) continue;
        places[at(q)] = static_cast<int>(cone.layout.size());
        cone.layout.push_back(Qubit{q});
    }
    cone.start = static_cast<int>(cone.layout.size());
    // Beyond 62 positions masks do not fit; such a state is refused by its size, never run.
    if (cone.layout.size() > at(kMostPositions)) return;
    for (const FusedGroup& group : fuse(plan.circuit, operations, plan.varying, fusion))
        cone.blocks.push_back(make_block(plan.circuit, group, places));
}

/// Qubits enter when they are needed.
void add_late_blocks(const Plan& plan, const ConeShape& shape, std::span<const int> operations,
                     bool fusion, Cone& cone, Places& places) {
    const Entries entries = take_entries(plan.circuit, operations);
    const std::vector<FusedGroup> groups = fuse(plan.circuit, entries.rest, plan.varying, fusion);
    for (const ScheduleStep& step : schedule_late(plan.circuit, groups, entries, shape.qubits)) {
        if (step.group >= 0) {
            cone.blocks.push_back(make_block(plan.circuit, groups[at(step.group)], places));
            continue;
        }
        places[at(step.qubit.index)] = static_cast<int>(cone.layout.size());
        cone.layout.push_back(step.qubit);
        cone.blocks.push_back(make_entry(plan.circuit, entries, step.qubit, places));
    }
}

Cone make_cone(const Plan& plan, const ConeShape& shape, const CompileOptions& options) {
    Cone cone;
    Places places(at(plan.circuit.qubits), -1);
    std::vector<int> operations;
    for (std::size_t i = 0; i < shape.operations.size(); ++i)
        if (shape.operations[i]) operations.push_back(static_cast<int>(i));
    const bool fusion = !options.eager && options.fusion != "off";
    const auto qubits = std::count(shape.qubits.begin(), shape.qubits.end(), true);
    const bool late = !options.eager && options.late_qubits != "off" && qubits <= kMostPositions;
    (late ? add_late_blocks : add_all_blocks)(plan, shape, operations, fusion, cone, places);
    if (fusion && cone.layout.size() <= at(kMostPositions)) fold_flips(plan, cone);
    cone.observables = shape.observables;
    if (cone.layout.size() > at(kMostPositions)) return cone;
    for (int j : cone.observables) {
        std::vector<PositionTerm> terms;
        for (const PauliTerm& term : plan.observables[at(j)].terms)
            terms.push_back({term.coefficient, place_word(places, term.factors)});
        cone.terms.push_back(std::move(terms));
    }
    const auto piece = static_cast<std::uint64_t>(options.piece_amplitudes);
    make_sweeps(cone, options.eager ? kMostPositions
                      : options.piece_amplitudes > 0
                          ? std::max(static_cast<int>(std::bit_width(piece)) - 1, kLeastPiece)
                          : kDefaultPiece);
    find_alike(plan, cone);
    return cone;
}

} // namespace

std::vector<Position> all_positions(int count) {
    std::vector<Position> positions;
    for (int p = 0; p < count; ++p) positions.push_back(Position{p});
    return positions;
}

Plan compile(Circuit circuit, std::vector<PauliSum> observables, std::vector<bool> varying,
             const CompileOptions& options) {
    check_circuit(circuit);
    for (const PauliSum& observable : observables) {
        const int largest = largest_qubit(observable);
        if (largest >= circuit.qubits)
            fail(Kind::usage, "observable '{}' acts on qubit {}, but the circuit has {}",
                 pauli_text(observable), largest, qubits_text(circuit.qubits));
    }
    promise(varying.size() == circuit.symbols.size(), "one varying flag per symbol");
    const LaneUse lanes = options.lanes == "on"                     ? LaneUse::on
                          : options.lanes == "off" || options.eager ? LaneUse::off
                                                                    : LaneUse::automatic;
    Plan plan{
        std::move(circuit), std::move(observables), std::move(varying), {}, options.eager, lanes};
    std::vector<ConeShape> shapes;
    if (options.eager || options.light_cones == "off")
        shapes.push_back(whole_circuit(plan.circuit, plan.observables.size()));
    else
        shapes = light_cones(plan.circuit, plan.observables);
    if (!options.eager && options.light_cones == "auto")
        shapes = join_cones(plan.circuit, std::move(shapes));
    for (const ConeShape& shape : shapes) plan.cones.push_back(make_cone(plan, shape, options));
    return plan;
}

std::uint64_t state_amplitudes(int qubits) {
    if (qubits > kMostPositions)
        fail(Kind::environment,
             "a state of {} qubits has 2^{} amplitudes; one state has at most {} qubits", qubits,
             qubits, kMostPositions);
    return std::uint64_t{1} << qubits;
}

std::uint64_t state_bytes(int qubits, std::uint64_t amplitude_bytes) {
    const std::uint64_t amplitudes = state_amplitudes(qubits);
    if (amplitudes > ~std::uint64_t{0} / amplitude_bytes)
        fail(Kind::environment, "a state of {} qubits takes {}: more than an address can name",
             qubits, state_bytes_text(qubits, amplitude_bytes));
    return amplitudes * amplitude_bytes;
}

std::string state_bytes_text(int qubits, std::uint64_t amplitude_bytes) {
    int power = qubits;
    while (amplitude_bytes > 1) {
        amplitude_bytes /= 2;
        ++power;
    }
    if (power < 64) return grouped(std::uint64_t{1} << power) + " bytes";
    if (power >= 127) return format("2^{} bytes", power);
    // In two halves, since 64 bits do not hold it.
    constexpr std::uint64_t kBillions = 1'000'000'000'000'000'000;
    const auto bytes = static_cast<unsigned __int128>(1) << power;
    const std::string low = format("{:018}", static_cast<std::uint64_t>(bytes % kBillions));
    std::string text = grouped(static_cast<std::uint64_t>(bytes / kBillions));
    for (std::size_t i = 0; i < low.size(); i += 3) text += "," + low.substr(i, 3);
    return format("{} bytes (2^{})", text, power);
}

int largest_state(const Plan& plan) {
    std::size_t largest = 0;
    for (const Cone& cone : plan.cones) largest = std::max(largest, cone.layout.size());
    return static_cast<int>(largest);
}

} // namespace wavetrain
