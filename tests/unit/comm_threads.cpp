/// Every verb on threads, verdicts, lost ranks and the watchdog.
#include "captured_stderr.hpp"
#include "catch.hpp"
#include "contains.hpp"
#include "wavetrain/base/error.hpp"
#include "wavetrain/comm/exact_sum.hpp"
#include "wavetrain/comm/threads.hpp"
#include "wavetrain/comm/together.hpp"
#include "wavetrain/comm/watchdog.hpp"

#include <array>
#include <atomic>
#include <new>
#include <stdexcept>

using namespace wavetrain;

namespace {

constexpr std::array kRanks = {1, 2, 3, 5, 8};

/// Catch's own checks are not made for threads: ranks report through exceptions.
void require(bool condition, const std::string& what) {
    if (!condition) throw std::runtime_error("check failed: " + what);
}

std::string text_of(int rank, std::size_t length) {
    std::string text(length, '\0');
    for (std::size_t i = 0; i < length; ++i)
        text[i] = static_cast<char>((i * 7 + static_cast<std::size_t>(rank) * 31) % 256);
    return text;
}

void check_verbs(Comm& comm, std::size_t length) {
    const std::int64_t ranks = comm.size();
    std::vector<std::int64_t> values(length);
    constexpr std::int64_t kLarge = std::int64_t{1} << 40;
    for (std::size_t i = 0; i < length; ++i)
        values[i] = kLarge * comm.rank() - static_cast<std::int64_t>(i);
    comm.sum(values);
    for (std::size_t i = 0; i < length; ++i)
        require(values[i] ==
                    kLarge * (ranks * (ranks - 1) / 2) - ranks * static_cast<std::int64_t>(i),
                "sum");
    for (int root = 0; root < comm.size(); ++root) {
        std::string bytes = text_of(comm.rank(), length + static_cast<std::size_t>(comm.rank()));
        comm.broadcast(bytes, root);
        require(bytes == text_of(root, length + static_cast<std::size_t>(root)), "broadcast");
    }
    const auto all =
        comm.all_gather(text_of(comm.rank(), length * static_cast<std::size_t>(comm.rank())));
    require(all.size() == static_cast<std::size_t>(ranks), "all_gather: one text a rank");
    for (std::size_t i = 0; i < all.size(); ++i)
        require(all[i] == text_of(static_cast<int>(i), length * i), "all_gather");
}

/// The Error that run_ranks ends with.
Error error_of(int ranks, const std::function<void(Comm&)>& body) {
    try {
        run_ranks(ranks, body);
    } catch (const Error& error) {
        return error;
    }
    FAIL("no Error was thrown");
    return Error(Kind::bug, "");
}

} // namespace

TEST_CASE("every verb on any number of ranks, with messages below and above a chunk", "[comm]") {
    for (const int ranks : kRanks)
        for (const std::size_t limit : {std::size_t{1} << 28, std::size_t{7}, std::size_t{1}}) {
            INFO(ranks << " ranks, chunks of " << limit);
            CHECK_NOTHROW(run_ranks(ranks, [&](Comm& comm) {
                comm.set_chunk_elements(limit);
                for (const std::size_t length : {0U, 1U, 6U, 7U, 8U, 14U, 50U})
                    check_verbs(comm, length);
            }));
        }
}

TEST_CASE("a barrier is passed by all or none", "[comm]") {
    std::atomic<int> before = 0;
    CHECK_NOTHROW(run_ranks(5, [&](Comm& comm) {
        for (int round = 1; round <= 20; ++round) {
            ++before;
            comm.barrier();
            require(before >= round * comm.size(), "all had arrived");
            comm.barrier();
        }
    }));
}

TEST_CASE("the world of one rank", "[comm]") {
    SoloComm comm;
    CHECK_NOTHROW(check_verbs(comm, 20));
    CHECK_NOTHROW(comm.barrier());
    CHECK(comm.size() == 1);
    CHECK(comm.hosts() == 1);
    try {
        comm.abort(69);
        FAIL("abort returned");
    } catch (const Error& error) {
        CHECK(error.kind() == Kind::peer);
    }
}

TEST_CASE("ranks are dealt out to hosts in blocks", "[comm]") {
    std::array<std::atomic<int>, 5> node_sizes{};
    CHECK_NOTHROW(run_ranks(
        5,
        [&](Comm& comm) {
            require(comm.hosts() == 2, "two hosts");
            node_sizes[static_cast<std::size_t>(comm.rank())] = comm.node_size();
        },
        2));
    CHECK(node_sizes[0] == 3);
    CHECK(node_sizes[2] == 3);
    CHECK(node_sizes[3] == 2);
    CHECK(node_sizes[4] == 2);
}

TEST_CASE("a failing rank releases the others with a peer error", "[comm]") {
    for (const int ranks : {2, 5}) {
        std::atomic<int> released = 0;
        const Error error = error_of(ranks, [&](Comm& comm) {
            comm.barrier();
            if (comm.rank() == 1) fail(Kind::numeric, "NaN loss");
            try {
                comm.barrier();
            } catch (const Error& peer) {
                require(peer.kind() == Kind::peer, "a peer error");
                require(std::string(peer.what()) == "rank 1 was lost: NaN loss", peer.what());
                ++released;
                throw;
            }
        });
        CHECK(error.kind() == Kind::numeric);
        CHECK(error.what() == std::string("NaN loss"));
        CHECK(released == ranks - 1);
    }
}

TEST_CASE("an aborting rank ends the job with its exit code", "[comm]") {
    const Error error = error_of(3, [](Comm& comm) {
        if (comm.rank() == 2) comm.abort(4);
        comm.barrier();
    });
    CHECK(error.exit_code() == 4);
    CHECK(error.rank() == 2);
}

TEST_CASE("ranks that do not do the same are found out instead of hanging", "[comm]") {
    const Error left = error_of(3, [](Comm& comm) {
        if (comm.rank() != 1) comm.barrier();
    });
    CHECK(left.kind() == Kind::peer);
    CHECK(contains(left.what(), "takes no part"));
    const Error verbs = error_of(2, [](Comm& comm) {
        if (comm.rank() == 0)
            comm.barrier();
        else
            comm.all_gather("x");
    });
    CHECK(verbs.kind() == Kind::bug);
    CHECK(contains(verbs.what(), "ranks disagree"));
    const Error lengths = error_of(2, [](Comm& comm) {
        std::vector<std::int64_t> values(static_cast<std::size_t>(comm.rank()));
        comm.sum(values);
    });
    CHECK(lengths.kind() == Kind::bug);
}

TEST_CASE("exact sums are the same for any number of ranks", "[comm]") {
    constexpr std::size_t kTerms = 60;
    const auto term = [](std::size_t i) {
        return (i % 2 == 0 ? 1.0 : -1.0) / (1.0 + static_cast<double>(i)) * (i % 7 == 0 ? 1e20 : 1);
    };
    ExactSums alone(1, 1);
    for (std::size_t i = 0; i < kTerms; ++i) alone.add(0, term(i));
    for (const int ranks : kRanks)
        CHECK_NOTHROW(run_ranks(ranks, [&](Comm& comm) {
            ExactSums sums(1, 1);
            for (auto i = static_cast<std::size_t>(comm.rank()); i < kTerms;
                 i += static_cast<std::size_t>(ranks)) {
                sums.add(0, term(i));
                sums.count(0, 1);
            }
            comm.sum(sums.raw());
            require(sums.value(0) == alone.value(0), "the same sum");
            require(sums.counter(0) == kTerms, "all terms");
            require(!sums.bad(), "no bad term");
        }));
}

TEST_CASE("together: values come back, the first failure is everybody's", "[comm]") {
    for (const int ranks : kRanks) {
        std::atomic<int> failed = 0;
        CHECK_NOTHROW(run_ranks(ranks, [&](Comm& comm) {
            require(together(comm, "counting", [&] { return comm.rank() * 2; }) == comm.rank() * 2,
                    "own value");
            try {
                together(comm, "reading the data", [&] {
                    if (comm.rank() >= ranks / 2)
                        fail_at({"a.csv", 3, 4}, Kind::environment, "cut on {}", comm.rank());
                });
            } catch (const Error& error) {
                const std::string where =
                    ranks == 1 ? "" : format(" (rank {}, while reading the data)", ranks / 2);
                require(error.what() == format("a.csv:3:4: cut on {}{}", ranks / 2, where),
                        error.what());
                require(error.kind() == Kind::environment, "the kind");
                require(error.place() == Place{"a.csv", 3, 4}, "the place");
                require(error.rank() == (ranks == 1 ? -1 : ranks / 2), "the rank");
                ++failed;
            }
            comm.barrier(); // the ranks are still in step
        }));
        CHECK(failed == ranks);
    }
}

TEST_CASE("together: what all bodies return reaches every rank", "[comm]") {
    for (const int ranks : {1, 3})
        run_ranks(ranks, [&](Comm& comm) {
            const auto all = together_gather(comm, "collecting", [&] {
                return std::string(static_cast<std::size_t>(comm.rank()), '\0') + "-";
            });
            require(all.size() == static_cast<std::size_t>(ranks), "one for each rank");
            for (std::size_t r = 0; r < all.size(); ++r)
                require(all[r] == std::string(r, '\0') + "-", "the bytes of its rank");
            bool failed = false;
            try {
                together_gather(comm, "collecting", [&]() -> std::string {
                    if (comm.rank() == ranks - 1) fail(Kind::numeric, "not a number");
                    return "fine";
                });
            } catch (const Error& error) {
                require(error.kind() == Kind::numeric && error.everywhere(), "for all");
                require(contains(error.what(), "not a number"), "with its message");
                failed = true;
            }
            require(failed, "on every rank");
        });
}

TEST_CASE("together: a message that all ranks have names no rank", "[comm]") {
    const Error error = error_of(3, [](Comm& comm) {
        together(comm, "reading the config", [] { fail(Kind::usage, "unknown key 'x'"); });
    });
    CHECK(error.what() == std::string("unknown key 'x'"));
    CHECK(error.rank() == -1);
}

TEST_CASE("together: exceptions of other types, and work for rank 0 only", "[comm]") {
    const Error memory = error_of(3, [](Comm& comm) {
        together(comm, "building the model", [&] {
            if (comm.rank() == 2) throw std::bad_alloc();
        });
    });
    CHECK(memory.kind() == Kind::environment);
    CHECK(contains(memory.what(), "out of memory (rank 2, while building the model)"));
    const Error unknown = error_of(2, [](Comm& comm) {
        together(comm, "trying", [&] {
            if (comm.rank() == 1) throw 1;
        });
    });
    CHECK(unknown.kind() == Kind::bug);
    const Error root = error_of(3, [](Comm& comm) {
        on_root(comm, "writing weights.h5", [] { fail(Kind::environment, "disk full"); });
    });
    CHECK(root.what() == std::string("disk full (rank 0, while writing weights.h5)"));
    CHECK(root.exit_code() == 3);
}

TEST_CASE("the watchdog ends a job that stands still and says who was where", "[comm]") {
    const CapturedStderr captured;
    std::atomic<bool> released = false;
    const Error error = error_of(2, [&](Comm& comm) {
        Watchdog watchdog(comm, 0.05);
        watchdog.mark("step 3");
        if (comm.rank() == 1) {
            while (!released) std::this_thread::yield();
            return;
        }
        watchdog.await();
        try {
            comm.barrier();
        } catch (const Error&) {
            released = true;
            throw;
        }
    });
    CHECK(error.kind() == Kind::peer);
    const std::string said = captured.text();
    CHECK(contains(said, "rank 0 of 2 on "));
    CHECK(contains(said, "at: step 3"));
    CHECK(contains(said, "rank 1 of 2 on "));
    CHECK(contains(said, "has not arrived"));
    CHECK(contains(said, "exit code 69"));
    CHECK(contains(said, "--resume auto"));
}

TEST_CASE("the watchdog leaves a job alone that moves", "[comm]") {
    using Clock = std::chrono::steady_clock;
    const CapturedStderr captured;
    constexpr auto kTimeout = std::chrono::milliseconds(100);
    Clock::duration longest{};
    SoloComm comm;
    {
        Watchdog watchdog(comm, 0.1);
        const auto start = Clock::now();
        for (auto last = start; last < start + 3 * kTimeout;) {
            watchdog.mark("step");
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            const auto now = Clock::now();
            longest = std::max(longest, now - last);
            last = now;
        }
    }
    // On a machine so busy that this thread itself stood still the watchdog was right to speak.
    if (longest < kTimeout) CHECK(captured.text().empty());
}

TEST_CASE("the limit of a step follows the longest step", "[comm]") {
    CHECK(step_limit_seconds(0.0, 300.0) == 300.0); // none measured yet
    CHECK(step_limit_seconds(0.01, 300.0) == 10.0);
    CHECK(step_limit_seconds(2.0, 300.0) == 10.0);
    CHECK(step_limit_seconds(7.0, 300.0) == 35.0);
    CHECK(step_limit_seconds(100.0, 300.0) == 300.0);
    CHECK(step_limit_seconds(1.0, 3.0) == 3.0);
}

TEST_CASE("a watchdog that is off or not yet due ends at once", "[comm]") {
    const CapturedStderr captured;
    SoloComm comm;
    for (const double seconds : {0.0, -1.0, 1000.0, 1e300}) {
        Watchdog watchdog(comm, seconds);
        watchdog.mark("anything");
    }
    CHECK(captured.text().empty());
}
