/// The board of a host's ranks, and signals.
#include "catch.hpp"

#include "wavetrain/base/error.hpp"
#include "wavetrain/comm/signals.hpp"
#include "wavetrain/comm/status_board.hpp"
#include "wavetrain/comm/threads.hpp"

#include <csignal>

#include <sys/wait.h>
#include <unistd.h>

using namespace wavetrain;

namespace {

void require(bool condition, const std::string& what) {
    if (!condition) throw std::runtime_error("check failed: " + what);
}

} // namespace

TEST_CASE("every rank reads what the others post", "[comm]") {
    run_ranks(4, [](Comm& comm) {
        StatusBoard board(comm);
        board.post("step " + std::to_string(comm.rank()), comm.rank() % 2 == 1);
        comm.barrier();
        const auto all = board.read();
        require(all.size() == 4, "four ranks");
        for (int rank = 0; rank < 4; ++rank) {
            const RankStatus& status = all[static_cast<std::size_t>(rank)];
            require(status.rank == rank, "in order");
            require(status.what == "step " + std::to_string(rank), status.what);
            require(status.waiting == (rank % 2 == 1), "who waits");
            require(!status.ended && !board.lost(rank), "all are here");
            require(status.seconds >= 0 && status.seconds < 60, "how long");
            require(status.silent_seconds >= 0 && status.silent_seconds < 60, "the last beat");
        }
        comm.barrier();
        if (comm.rank() == 2) board.leave();
        comm.barrier();
        require(board.read()[2].ended, "rank 2 has left");
        require(!board.lost(2), "who has left is not lost");
        comm.barrier();
    });
}

TEST_CASE("long texts are cut, a board of one rank works", "[comm]") {
    SoloComm comm;
    StatusBoard board(comm);
    board.post(std::string(5000, 'x'), false);
    const auto all = board.read();
    REQUIRE(all.size() == 1);
    CHECK(all[0].what.size() >= 80);
    CHECK(all[0].what.size() < 200);
}

TEST_CASE("signals set flags, a second INT ends the program", "[comm]") {
    const auto status_of = [](auto&& body) {
        const pid_t child = fork();
        if (child == 0) {
            install_signal_handlers();
            _exit(body());
        }
        int status = 0;
        waitpid(child, &status, 0);
        return status;
    };
    for (const int signal : {SIGTERM, SIGINT, SIGUSR1}) {
        const int status = status_of([&] {
            if (stop_signal() != 0) return 1;
            std::raise(signal);
            return stop_signal() == signal ? 0 : 2;
        });
        CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 0));
    }
    const int user = status_of([] {
        const bool before = take_user_signal();
        std::raise(SIGUSR2);
        return !before && take_user_signal() && !take_user_signal() && stop_signal() == 0 ? 0 : 1;
    });
    CHECK((WIFEXITED(user) && WEXITSTATUS(user) == 0));
    const int twice = status_of([] {
        std::raise(SIGINT);
        std::raise(SIGINT);
        return 0;
    });
    CHECK((WIFSIGNALED(twice) && WTERMSIG(twice) == SIGINT));
    // What came before a command that puts nothing in order happens as soon as that is known.
    const int released = status_of([] {
        std::raise(SIGTERM);
        release_signal_handlers();
        return 0;
    });
    CHECK((WIFSIGNALED(released) && WTERMSIG(released) == SIGTERM));
}
