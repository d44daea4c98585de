/// The board: a mapped file in shared memory, a lock per rank that the kernel drops when it dies.
#include "wavetrain/comm/status_board.hpp"

#include "wavetrain/base/format.hpp"
#include "wavetrain/base/machine.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace wavetrain {
namespace {

constexpr std::size_t kTextWords = 13;
constexpr std::size_t kTextBytes = kTextWords * sizeof(std::uint64_t);

enum State : std::uint32_t { absent, working, waiting_for_others, gone };

/// The same clock in all processes of a host.
std::int64_t now_nanoseconds() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

double seconds_since(std::int64_t nanoseconds) {
    return static_cast<double>(now_nanoseconds() - nanoseconds) * 1e-9;
}

/// The byte of the file whose lock says that this rank lives.
struct flock lock_of(int rank) {
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = rank;
    lock.l_len = 1;
    return lock;
}

} // namespace

/// A sequence lock: odd while the rank writes. All members are atomics of their own, so that a
/// reader that comes in between sees a torn text at worst, which the sequence tells.
struct StatusBoard::Slot {
    std::atomic<std::uint64_t> sequence;
    std::atomic<std::int64_t> since;
    std::atomic<std::int64_t> beat;
    std::atomic<std::uint32_t> state;
    std::atomic<std::uint32_t> locked; // whether its lock could be had
    std::array<std::atomic<std::uint64_t>, kTextWords> text;
};

StatusBoard::StatusBoard(Comm& comm) : rank_(comm.rank()), ranks_(comm.size()) {
    static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
    const std::vector<std::string> hosts = comm.all_gather(host_name());
    const auto own = hosts.begin() + rank_;
    const auto leader = std::find(hosts.begin(), own, *own);
    // The lowest rank of a host makes the file and tells its name.
    std::string name;
    if (leader == own) {
        name = format("/wavetrain-{}-{}-{}", ::getpid(), rank_, now_nanoseconds());
        open(name, true);
    }
    const std::vector<std::string> names = comm.all_gather(name);
    if (leader != own) open(names[static_cast<std::size_t>(leader - hosts.begin())], false);
    comm.barrier();
    if (leader == own) ::shm_unlink(name.c_str());
    beat();
    post("starting", false);
}

StatusBoard::~StatusBoard() {
    leave();
    if (slots_ != nullptr) ::munmap(slots_, bytes_);
    if (file_ >= 0) ::close(file_);
}

void StatusBoard::open(const std::string& name, bool create) {
    bytes_ = sizeof(Slot) * static_cast<std::size_t>(ranks_);
    const auto size = static_cast<off_t>(bytes_);
    file_ = ::shm_open(name.c_str(), O_RDWR | (create ? O_CREAT | O_EXCL : 0), 0600);
    // Written beyond its end, or where the memory behind it is full, a mapping would kill the
    // program.
    struct stat facts {};
    const bool whole =
        file_ >= 0 && (create ? ::posix_fallocate(file_, 0, size) == 0
                              : ::fstat(file_, &facts) == 0 && facts.st_size >= size);
    if (file_ >= 0 && !whole) {
        ::close(file_);
        file_ = -1;
    }
    const int flags = file_ >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS;
    void* memory = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, flags, file_, 0);
    if (memory == MAP_FAILED) return; // a board without places: nobody sees anybody
    slots_ = static_cast<Slot*>(memory);
    struct flock lock = lock_of(rank_);
    if (file_ >= 0 && ::fcntl(file_, F_OFD_SETLK, &lock) == 0) slots_[rank_].locked.store(1);
}

void StatusBoard::post(const std::string& what, bool waiting) {
    if (slots_ == nullptr) return;
    Slot& slot = slots_[rank_];
    std::array<std::uint64_t, kTextWords> words{};
    std::memcpy(words.data(), what.data(), std::min(what.size(), kTextBytes));
    slot.sequence.fetch_add(1);
    slot.since.store(now_nanoseconds());
    slot.state.store(waiting ? waiting_for_others : working);
    for (std::size_t i = 0; i < kTextWords; ++i) slot.text[i].store(words[i]);
    slot.sequence.fetch_add(1);
}

void StatusBoard::beat() {
    if (slots_ != nullptr) slots_[rank_].beat.store(now_nanoseconds());
}

void StatusBoard::leave() {
    if (slots_ != nullptr) slots_[rank_].state.store(gone);
}

std::vector<RankStatus> StatusBoard::read() const {
    std::vector<RankStatus> all;
    for (int rank = 0; slots_ != nullptr && rank < ranks_; ++rank) {
        const Slot& slot = slots_[rank];
        if (slot.state.load() == absent) continue;
        RankStatus status;
        status.rank = rank;
        status.silent_seconds = seconds_since(slot.beat.load());
        // A writer is done within nanoseconds, unless it died or was stopped right there.
        constexpr int kAttempts = 1000;
        for (int attempt = 0; attempt < kAttempts; ++attempt) {
            const std::uint64_t before = slot.sequence.load();
            std::array<std::uint64_t, kTextWords> words{};
            for (std::size_t i = 0; i < kTextWords; ++i) words[i] = slot.text[i].load();
            const std::uint32_t state = slot.state.load();
            status.waiting = state == waiting_for_others;
            status.ended = state == gone;
            status.seconds = seconds_since(slot.since.load());
            const auto* text = reinterpret_cast<const char*>(words.data());
            status.what.assign(text, std::find(text, text + kTextBytes, '\0'));
            if (before % 2 == 0 && slot.sequence.load() == before) break;
        }
        all.push_back(std::move(status));
    }
    return all;
}

bool StatusBoard::lost(int rank) const {
    if (slots_ == nullptr || file_ < 0 || rank == rank_) return false;
    const Slot& slot = slots_[rank];
    if (slot.state.load() == gone || slot.locked.load() == 0) return false;
    struct flock lock = lock_of(rank);
    return ::fcntl(file_, F_OFD_GETLK, &lock) == 0 && lock.l_type == F_UNLCK;
}

} // namespace wavetrain
