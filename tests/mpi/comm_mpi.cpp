/// Every verb of the MPI Comm, run by ctest under mpirun on 1, 2, 3 and 5 ranks. With the argument
/// "stall" rank 1 stands still instead and the watchdog has to end the job.
#include "wavetrain/base/error.hpp"
#include "wavetrain/base/log.hpp"
#include "wavetrain/base/machine.hpp"
#include "wavetrain/comm/exact_sum.hpp"
#include "wavetrain/comm/mpi.hpp"
#include "wavetrain/comm/together.hpp"
#include "wavetrain/comm/watchdog.hpp"

#include <cmath>
#include <cstdlib>
#include <string_view>

using wavetrain::Comm;
using wavetrain::Error;
using wavetrain::Kind;

namespace {

/// Counts what went wrong on this rank; the verdict is reduced before anyone may leave.
class Checks {
public:
    explicit Checks(Comm& comm) : comm_(comm) {}

    void check(bool condition, std::string_view what) {
        if (condition) return;
        ++failures_;
        wavetrain::log_error("check failed on rank {}: {}", comm_.rank(), what);
    }

    bool all_passed() {
        std::int64_t failures = failures_;
        comm_.sum({&failures, 1});
        return failures == 0;
    }

private:
    Comm& comm_;
    std::int64_t failures_ = 0;
};

/// A text that only this rank has, `length` bytes long.
std::string text_of(int rank, std::size_t length) {
    std::string text(length, '\0');
    for (std::size_t i = 0; i < length; ++i)
        text[i] = static_cast<char>((i * 7 + static_cast<std::size_t>(rank) * 31) % 256);
    return text;
}

void check_sum(Comm& comm, Checks& checks, std::size_t length) {
    std::vector<std::int64_t> values(length);
    const std::int64_t ranks = comm.size();
    constexpr std::int64_t kLarge = std::int64_t{1} << 40; // does not fit in 32 bits
    for (std::size_t i = 0; i < length; ++i)
        values[i] = kLarge * comm.rank() - static_cast<std::int64_t>(i);
    comm.sum(values);
    bool right = true;
    for (std::size_t i = 0; i < length; ++i)
        right = right && values[i] == kLarge * (ranks * (ranks - 1) / 2) -
                                          ranks * static_cast<std::int64_t>(i);
    checks.check(right, wavetrain::format("sum of {} elements", length));
}

void check_verbs(Comm& comm, Checks& checks) {
    for (const std::size_t length : {0U, 1U, 6U, 7U, 8U, 14U, 100U, 1023U, 1024U, 1025U}) {
        check_sum(comm, checks, length);
        for (int root = 0; root < comm.size(); ++root) {
            std::string bytes =
                text_of(comm.rank(), length + static_cast<std::size_t>(comm.rank()));
            comm.broadcast(bytes, root);
            checks.check(bytes == text_of(root, length + static_cast<std::size_t>(root)),
                         wavetrain::format("broadcast of {} bytes from {}", length, root));
        }
        // Lengths differ, and rank 0 has nothing to say.
        const auto rank = static_cast<std::size_t>(comm.rank());
        const auto all = comm.all_gather(text_of(comm.rank(), length * rank));
        bool right = all.size() == static_cast<std::size_t>(comm.size());
        for (std::size_t i = 0; i < all.size(); ++i)
            right = right && all[i] == text_of(static_cast<int>(i), length * i);
        checks.check(right, wavetrain::format("all_gather of {} bytes", length));
    }
    comm.barrier();
}

void check_exact_sums(Comm& comm, Checks& checks) {
    // 0.1 a rank plus what cancels over all ranks: the rest is what one rank alone would get.
    wavetrain::ExactSums sums(1, 1);
    const int ranks = comm.size();
    sums.add(0, 0.1);
    if (ranks > 1) sums.add(0, comm.rank() == 0 ? -0x1p100 * (ranks - 1) : 0x1p100);
    sums.count(0, comm.rank());
    comm.sum(sums.raw());
    wavetrain::ExactSums alone(1, 0);
    for (int rank = 0; rank < ranks; ++rank) alone.add(0, 0.1);
    checks.check(sums.value(0) == alone.value(0), "exact sums are free of order and ranks");
    checks.check(sums.counter(0) == ranks * (ranks - 1) / 2, "counters add up");
    checks.check(!sums.bad(), "no bad term");
}

void check_together(Comm& comm, Checks& checks) {
    const int value = wavetrain::together(comm, "counting", [&] { return comm.rank() + 1; });
    checks.check(value == comm.rank() + 1, "together returns each rank's own value");
    const int failing = comm.size() - 1;
    try {
        wavetrain::together(comm, "reading the data", [&] {
            if (comm.rank() == failing)
                wavetrain::fail_at({"a.csv", 3, 4}, Kind::environment, "cut short");
        });
        checks.check(false, "together throws on every rank");
    } catch (const Error& error) {
        const std::string expected =
            comm.size() == 1
                ? "a.csv:3:4: cut short"
                : wavetrain::format("a.csv:3:4: cut short (rank {}, while reading the data)",
                                    failing);
        checks.check(error.what() == expected, error.what());
        checks.check(error.kind() == Kind::environment, "together keeps the kind");
    }
}

void check_hosts(Comm& comm, Checks& checks) {
    // ctest starts all ranks on this machine.
    checks.check(comm.node_size() == comm.size(), "all ranks share this host");
    checks.check(comm.hosts() == 1, "one host");
    for (const std::string& name : comm.all_gather(wavetrain::host_name()))
        checks.check(name == wavetrain::host_name(), "one host name");
}

/// Never returns: rank 1 stands still, the others wait for it.
void stall(Comm& comm) {
    wavetrain::Watchdog watchdog(comm, 0.5);
    watchdog.mark("step 3");
    while (comm.rank() == 1) std::this_thread::sleep_for(std::chrono::hours(1));
    watchdog.await();
    comm.barrier();
}

} // namespace

int main(int argc, char* argv[]) {
    wavetrain::MpiSession session(&argc, &argv);
    Comm& comm = session.world();
    wavetrain::set_log(comm.rank(), comm.size(), wavetrain::Verbosity::normal);
    Checks checks(comm);
    if (argc > 1 && std::string_view(argv[1]) == "stall") stall(comm);
    if (argc > 1) checks.check(comm.size() == std::atoi(argv[1]), "as many ranks as were started");
    for (const std::size_t limit : {comm.chunk_elements(), std::size_t{7}, std::size_t{1}}) {
        comm.set_chunk_elements(limit);
        check_verbs(comm, checks);
        check_exact_sums(comm, checks);
        check_together(comm, checks);
    }
    check_hosts(comm, checks);
    return checks.all_passed() ? 0 : 1;
}
