/// The plan: what the engine will do for one circuit and its observables, as immutable data.
#pragma once

#include "wavetrain/circuit/circuit.hpp"
#include "wavetrain/circuit/pauli.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace wavetrain {

/// A bit of the stored amplitude index. Which qubit it holds is a cone's layout.
struct Position {
    int index = 0;

    auto operator<=>(const Position&) const = default;
};

/// Positions 0 ... count-1.
std::vector<Position> all_positions(int count);

/// A Pauli word on positions. P |i> = i^(number of Y) (-1)^popcount(i & z_mask) |i xor x_mask>,
/// where a Y is in both masks.
struct PauliWord {
    std::uint64_t x_mask = 0;
    std::uint64_t z_mask = 0;
    int y_count = 0;
};

/// A term of an observable on positions.
struct PositionTerm {
    double coefficient = 1.0;
    PauliWord word;
};

/// Neighbouring gates on the same qubits, with the same controls: a factor of a block's matrix.
/// Equal ones, wherever they act, share one.
struct GateRun {
    std::vector<int> operations; ///< of one of them, in order of time
    bool varying = false;        ///< some angle differs from sample to sample: then all of them do
};

/// A run in a block.
struct RunPlace {
    int run = 0;       ///< of Cone::runs
    int operation = 0; ///< on these targets, with these controls
};

/// A CNOT before a block, on one of its targets, by a position that it does not touch: for either
/// value of the control the block's matrix has its columns in another order.
struct Flip {
    int target = 0; ///< of Block::targets
    Position control;
    bool value = true; ///< of the control, for which the target flips
    int operation = 0; ///< the CNOT
};

/// What the engine applies in one go: the product of neighbouring gates as one matrix on a few
/// positions, one Pauli rotation, or the entry of a late qubit: its product state becomes the
/// state's top position, with the signs of the CZs to positions that are there (word.z_mask).
struct Block {
    enum class Kind { matrix, pauli_rotation, enter };

    Kind kind = Kind::matrix;
    std::vector<Position> targets;  ///< matrix: the first is the most significant bit of its index
    std::uint64_t control_mask = 0; ///< the block acts where (index & mask) == value
    std::uint64_t control_value = 0;
    std::vector<Flip> flips;     ///< of a matrix on two positions; they commute
    PauliWord word;              ///< pauli_rotation; enter: z_mask alone
    std::vector<int> operations; ///< indices into Plan::circuit.operations, in order of time
    std::vector<RunPlace> runs;  ///< the same, but for an entry's CZs and for Pauli rotations
    bool varying = false;        ///< some angle differs from sample to sample
    int positions = 0;           ///< of the state after this block
    int family = 0;              ///< blocks with the same number have the same matrix
};

/// Blocks that are applied in one sweep over memory, piece by piece. A piece is the part of the
/// state that `positions` index, for fixed values of the others; what the blocks touch is in it.
struct Sweep {
    std::size_t first = 0;           ///< of Cone::blocks
    std::size_t last = 0;            ///< one beyond
    std::vector<Position> positions; ///< ascending; all positions of the state: one piece
};

/// One state to simulate: the gates and qubits in the past light cone of some observables.
struct Cone {
    std::vector<Qubit> layout; ///< the qubit at each position
    int start = 0;             ///< positions that are there at the start, in |0>; the others enter
    std::vector<Block> blocks;
    std::vector<GateRun> runs;
    std::vector<Sweep> sweeps;                    ///< all blocks, in order
    int families = 0;                             ///< Block::family < families
    std::vector<int> observables;                 ///< indices into Plan::observables
    std::vector<std::vector<PositionTerm>> terms; ///< of each of these observables, on positions
};

/// Whether several executions share the lanes of vectors: where it pays, always or never.
enum class LaneUse { automatic, on, off };

/// Options of the compiler: [engine] keys that change the plan.
struct CompileOptions {
    std::string fusion = "auto";
    std::string light_cones = "auto";
    bool eager = false; ///< gate by gate as written: no fusion, no cones, no late qubits, one sweep
    std::string late_qubits = "auto";
    std::string lanes = "auto";
    std::int64_t piece_amplitudes = 0; ///< of a sweep, at least 2^kLeastPiece; 0: kDefaultPiece
};

/// log2 of the least and of the usual number of amplitudes in a piece.
inline constexpr int kLeastPiece = 5;
inline constexpr int kDefaultPiece = 14;

/// Circuit, observables and cones. Pure data: the same on every rank.
struct Plan {
    Circuit circuit;
    std::vector<PauliSum> observables;
    std::vector<bool> varying; ///< per symbol: differs from sample to sample
    std::vector<Cone> cones;
    bool eager = false; ///< to be checked after every gate
    LaneUse lanes = LaneUse::automatic;
};

/// Compiles. `varying` has one entry per symbol of the circuit. `usage` errors: an observable on a
/// qubit that the circuit does not have, a malformed operation.
Plan compile(Circuit circuit, std::vector<PauliSum> observables, std::vector<bool> varying,
             const CompileOptions& options);

/// Amplitudes of a state of `qubits` qubits: 2^qubits, exact up to 62 qubits; an `environment`
/// error naming the number above.
std::uint64_t state_amplitudes(int qubits);

/// Bytes of one state of `qubits` qubits with amplitudes of `amplitude_bytes` (8 or 16).
std::uint64_t state_bytes(int qubits, std::uint64_t amplitude_bytes);

/// Bytes as a readable number, beyond 64 bits with the power ("... bytes (2^66)", "2^304 bytes").
std::string state_bytes_text(int qubits, std::uint64_t amplitude_bytes);

/// Positions in the plan's largest state.
int largest_state(const Plan& plan);

} // namespace wavetrain
