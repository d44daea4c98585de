/// Launch checks, the number of threads, and faults on purpose.
#include "captured_stderr.hpp"
#include "catch.hpp"
#include "contains.hpp"
#include "wavetrain/base/error.hpp"
#include "wavetrain/base/machine.hpp"
#include "wavetrain/comm/fault.hpp"
#include "wavetrain/comm/launch.hpp"
#include "wavetrain/comm/threads.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <map>
#include <new>
#include <optional>
#include <sys/wait.h>
#include <unistd.h>

using namespace wavetrain;

namespace {

/// Sets environment variables for one test (null: unset) and puts back what was there.
class Environment {
public:
    using Values = std::map<std::string, const char*>;

    explicit Environment(const Values& values) {
        for (const auto& [name, value] : values) {
            const char* old = std::getenv(name.c_str());
            before_[name] = old ? std::optional<std::string>(old) : std::nullopt;
            put(name, value);
        }
    }
    ~Environment() {
        for (const auto& [name, value] : before_) put(name, value ? value->c_str() : nullptr);
    }
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;

private:
    static void put(const std::string& name, const char* value) {
        if (value)
            setenv(name.c_str(), value, 1);
        else
            unsetenv(name.c_str());
    }
    std::map<std::string, std::optional<std::string>> before_;
};

Environment environment_of(const Environment::Values& values) { return Environment(values); }

Environment launcher(const char* ompi, const char* slurm, const char* pmi) {
    return environment_of(
        {{"OMPI_COMM_WORLD_SIZE", ompi}, {"SLURM_NTASKS", slurm}, {"PMI_SIZE", pmi}});
}

/// What check_launch says on a world of `ranks` over `hosts`; nothing if it is content.
std::string refusal(int ranks, const LaunchOptions& options, int hosts = 1) {
    try {
        run_ranks(
            ranks, [&](Comm& comm) { check_launch(comm, options); }, hosts);
    } catch (const Error& error) {
        CHECK(error.kind() == Kind::launch);
        return error.what();
    }
    return {};
}

/// What resolve_threads says where OMP_NUM_THREADS decides; nothing if it is content.
std::string threads_refusal(const Comm& comm) {
    try {
        resolve_threads(comm, 0, 0);
    } catch (const Error& error) {
        CHECK(error.kind() == Kind::usage);
        return error.what();
    }
    return {};
}

/// The Error of inject_fault on a world of one; none if it returns.
std::optional<Error> fault_error(const char* fault, std::string_view place) {
    const Environment environment = environment_of({{"WAVETRAIN_FAULT", fault}});
    SoloComm comm;
    try {
        inject_fault(comm, place);
    } catch (const std::exception& error) {
        return as_error(error);
    }
    return std::nullopt;
}

/// Runs inject_fault in a child process; its wait status, or nothing if it still ran after that
/// time.
std::optional<int> fault_status(const char* fault, std::string_view place, int milliseconds) {
    const Environment environment = environment_of({{"WAVETRAIN_FAULT", fault}});
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        SoloComm comm;
        inject_fault(comm, place);
        _exit(0);
    }
    int status = 0;
    pid_t ended = 0;
    for (int tries = 0; tries < milliseconds && ended == 0; ++tries) {
        usleep(1000);
        ended = waitpid(child, &status, WNOHANG);
    }
    if (ended == child) return status;
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    return std::nullopt;
}

} // namespace

TEST_CASE("ranks and hosts are compared with what was expected", "[comm]") {
    const Environment environment = launcher(nullptr, nullptr, nullptr);
    CHECK(refusal(3, {}).empty());
    CHECK(refusal(3, {.expect_ranks = 3}).empty());
    CHECK(refusal(4, {.expect_ranks = 4, .expect_hosts = 2}, 2).empty());
    CHECK(contains(refusal(3, {.expect_ranks = 4}),
                   "expected 4 ranks (--expect-ranks), found 3; start it with `mpirun -n 4`"));
    CHECK(contains(refusal(4, {.expect_hosts = 2}),
                   "expected 2 hosts (--expect-hosts), found 1 with 4 ranks"));
    CHECK(contains(refusal(4, {.expect_hosts = 2}), "host list"));
}

TEST_CASE("one of several singletons is refused, or warned, or allowed", "[comm]") {
    struct Case {
        const char *ompi, *slurm, *pmi;
        const char* named; // the variable that the refusal names; null: content
    };
    const std::vector<Case> cases = {
        {nullptr, nullptr, nullptr, nullptr},
        {nullptr, "4", nullptr, "SLURM_NTASKS=4"},
        {nullptr, nullptr, "4", "PMI_SIZE=4"},
        {nullptr, "1", "1", nullptr},
        {"4", nullptr, nullptr, "OMPI_COMM_WORLD_SIZE=4"},
        {"1", "4", "4", nullptr}, // mpirun -n 1 inside an allocation of 4
        {"3", "1", nullptr, "OMPI_COMM_WORLD_SIZE=3"},
        {nullptr, "many", "", nullptr},
    };
    for (const Case& c : cases) {
        const Environment environment = launcher(c.ompi, c.slurm, c.pmi);
        const std::string said = refusal(1, {.refuse_singleton = true});
        CHECK(said.empty() == (c.named == nullptr));
        if (c.named) CHECK((contains(said, c.named) && contains(said, "--allow-singleton")));
        CHECK(refusal(1, {.allow_singleton = true, .refuse_singleton = true}).empty());
        CHECK(refusal(2, {.refuse_singleton = true}).empty()); // not alone
        const CapturedStderr captured;
        CHECK(refusal(1, {}).empty());
        const std::string warned = captured.text();
        CHECK(warned.empty() == (c.named == nullptr));
        if (c.named) CHECK((contains(warned, "warning: ") && contains(warned, c.named)));
    }
}

TEST_CASE("threads: option, config, OMP_NUM_THREADS, then CPUs over ranks", "[comm]") {
    SoloComm solo;
    {
        const Environment environment = environment_of({{"OMP_NUM_THREADS", "3"}});
        CHECK(resolve_threads(solo, 5, 4) == 5);
        CHECK(resolve_threads(solo, 0, 4) == 4);
        CHECK(resolve_threads(solo, 0, 0) == 3);
    }
    for (const char* unset : {static_cast<const char*>(nullptr), ""}) {
        const Environment environment = environment_of({{"OMP_NUM_THREADS", unset}});
        CHECK(resolve_threads(solo, 0, 0) == available_cpus());
        std::vector<int> threads(8);
        run_ranks(
            8,
            [&](Comm& comm) {
                threads[static_cast<std::size_t>(comm.rank())] = resolve_threads(comm, 0, 0);
            },
            2);
        for (const int count : threads) CHECK(count == std::max(1, available_cpus() / 4));
    }
    for (const char* wrong : {"0", "-2", "two", "1.5", "99999999999"}) {
        const Environment environment = environment_of({{"OMP_NUM_THREADS", wrong}});
        CHECK(resolve_threads(solo, 2, 0) == 2); // not asked
        CHECK(contains(threads_refusal(solo), std::string("OMP_NUM_THREADS=") + wrong));
    }
}

TEST_CASE("a fault strikes its rank at its places only", "[comm]") {
    CHECK_FALSE(fault_error(nullptr, "data").has_value());
    constexpr const char* kFault = "rank=0,at=data|step:3,kind=throw";
    for (const char* place : {"data", "step:3"}) {
        const auto error = fault_error(kFault, place);
        REQUIRE(error.has_value());
        CHECK(error->exit_code() == 70);
        CHECK(contains(error->what(), "rank 0"));
        CHECK(contains(error->what(), place));
    }
    for (const char* place : {"step:30", "step", "dat", "", "weights"})
        CHECK_FALSE(fault_error(kFault, place).has_value());
    CHECK_FALSE(fault_error("rank=1,at=data,kind=throw", "data").has_value());
    const Environment environment =
        environment_of({{"WAVETRAIN_FAULT", "rank=2,at=data,kind=nan"}});
    std::array<bool, 4> struck{};
    run_ranks(4, [&](Comm& comm) {
        struck[static_cast<std::size_t>(comm.rank())] = inject_fault(comm, "data");
    });
    CHECK(struck == std::array{false, false, true, false});
}

TEST_CASE("every kind of fault does what it says", "[comm]") {
    CHECK(fault_error("rank=0,at=data,kind=bad_alloc", "data")->exit_code() == 3);
    CHECK(fault_error("rank=0,at=data,kind=missing", "data")->exit_code() == 3);
    CHECK_FALSE(fault_error("rank=0,at=data,kind=nan", "data").has_value());
    const auto killed = fault_status("rank=0,at=data,kind=kill", "data", 10000);
    REQUIRE(killed.has_value());
    CHECK(WIFSIGNALED(*killed));
    CHECK(WTERMSIG(*killed) == SIGKILL);
    CHECK_FALSE(fault_status("rank=0,at=data,kind=hang", "data", 20).has_value());
    // The fastest of five, since a busy machine may take as long without any fault.
    for (const char* place : {"step:9", "step:10", "step:11", "validation:10"}) {
        INFO(place);
        auto fastest = std::chrono::steady_clock::duration::max();
        for (int attempt = 0; attempt < 5; ++attempt) {
            const auto began = std::chrono::steady_clock::now();
            CHECK_FALSE(fault_error("rank=0,at=step:10,kind=slow", place).has_value());
            fastest = std::min(fastest, std::chrono::steady_clock::now() - began);
        }
        const bool slow = std::string_view(place).starts_with("step:1");
        CHECK((fastest >= std::chrono::milliseconds(50)) == slow);
    }
}

TEST_CASE("a malformed fault is refused, whoever and wherever it is for", "[comm]") {
    for (const char* wrong :
         {"yes", "rank=1,at=data", "rank=1,kind=throw", "at=data,kind=throw",
          "rank=x,at=data,kind=throw", "rank=-1,at=data,kind=throw", "rank=1,at=,kind=throw",
          "rank=1,at=a||b,kind=throw", "rank=1,at=data,kind=explode",
          "rank=1,at=data,kind=throw,when=now", "rank=1,rank=2,at=data,kind=throw"}) {
        INFO(wrong);
        const auto error = fault_error(wrong, "elsewhere");
        REQUIRE(error.has_value());
        CHECK(error->kind() == Kind::usage);
        CHECK(contains(error->what(), std::string("WAVETRAIN_FAULT=") + wrong));
    }
}
