/// A board on which the ranks of one host write what they are doing, readable without messages.
#pragma once

#include "wavetrain/comm/comm.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace wavetrain {

/// What a rank of this host is doing.
struct RankStatus {
    int rank = 0;
    bool waiting = false; ///< it has done its part and waits for the others
    bool ended = false;   ///< it has left the board in order
    std::string what;
    double seconds = 0.0;        ///< since it said so
    double silent_seconds = 0.0; ///< since its last beat()
};

/// Memory that the ranks of one host share (a file in shared memory that has no name any more once
/// all have it). Each rank writes its own place; any thread may read all of them, whatever state
/// the other ranks are in: a rank that hangs, is stopped or dead cannot be asked. Where memory
/// cannot be shared a rank sees itself only.
class StatusBoard {
public:
    /// Collective.
    explicit StatusBoard(Comm& comm);
    ~StatusBoard();
    StatusBoard(const StatusBoard&) = delete;
    StatusBoard& operator=(const StatusBoard&) = delete;

    /// From one thread at a time. Texts are cut to about 100 bytes.
    void post(const std::string& what, bool waiting);
    /// This rank's process runs; from any thread.
    void beat();
    /// This rank ends in order and must not be missed.
    void leave();

    /// The ranks of this host that have posted something, this one included, by rank.
    std::vector<RankStatus> read() const;
    /// Whether a rank that read() shows has gone without leaving: its process does not exist any
    /// more.
    bool lost(int rank) const;

private:
    struct Slot;

    void open(const std::string& name, bool create);

    int rank_;
    int ranks_;
    int file_ = -1;
    Slot* slots_ = nullptr; // one a rank
    std::size_t bytes_ = 0;
};

} // namespace wavetrain
