/// Launch checks and the number of threads.
#include "wavetrain/comm/launch.hpp"

#include "wavetrain/base/error.hpp"
#include "wavetrain/base/log.hpp"
#include "wavetrain/base/machine.hpp"
#include "wavetrain/base/text.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <optional>

namespace wavetrain {
namespace {

/// How many processes the launcher says it started, and the variable that says so.
struct Promised {
    std::string variable;
    long long ranks = 0;
};

std::optional<long long> environment_integer(const char* name) {
    const char* text = std::getenv(name);
    return text == nullptr ? std::nullopt : parse_integer(text);
}

Promised promised_ranks() {
    // mpirun inside a Slurm allocation: its own variable knows better than the allocation's.
    if (const auto ranks = environment_integer("OMPI_COMM_WORLD_SIZE"))
        return {"OMPI_COMM_WORLD_SIZE", *ranks};
    Promised promised;
    for (const char* name : {"SLURM_NTASKS", "PMI_SIZE"})
        if (const auto ranks = environment_integer(name); ranks && *ranks > promised.ranks)
            promised = {name, *ranks};
    return promised;
}

void check_singleton(const LaunchOptions& options) {
    const Promised promised = promised_ranks();
    if (promised.ranks <= 1 || options.allow_singleton) return;
    const std::string message =
        format("this process is alone (1 rank), but the launcher promised {} ranks ({}={}), each "
               "of which would do the whole work by itself; start it with `mpirun -n {}` or, under "
               "Slurm, `srun --mpi=pmix`, or say --allow-singleton",
               promised.ranks, promised.variable, promised.ranks, promised.ranks);
    if (options.refuse_singleton) throw Error(Kind::launch, message);
    log_warning("{}", message);
}

} // namespace

void check_launch(Comm& comm, const LaunchOptions& options) {
    // The singleton first: it explains why the number of ranks is wrong.
    if (comm.size() == 1) check_singleton(options);
    if (options.expect_ranks > 0 && comm.size() != options.expect_ranks)
        fail(Kind::launch,
             "expected {} ranks (--expect-ranks), found {}; start it with `mpirun -n {}`, or "
             "correct --expect-ranks",
             options.expect_ranks, comm.size(), options.expect_ranks);
    if (options.expect_hosts > 0 && comm.hosts() != options.expect_hosts)
        fail(Kind::launch,
             "expected {} hosts (--expect-hosts), found {} with {} ranks in all; check the "
             "launcher's host list and its ranks per host, or correct --expect-hosts",
             options.expect_hosts, comm.hosts(), comm.size());
}

int resolve_threads(int host_ranks, int option, int config) {
    if (option > 0) return option;
    if (config > 0) return config;
    const char* text = std::getenv("OMP_NUM_THREADS");
    if (text != nullptr && !trim(text).empty()) {
        // "4,2" sets nested levels; the first is ours.
        const auto threads = parse_integer(split(text, ',').front());
        if (!threads || *threads < 1 || *threads > std::numeric_limits<int>::max())
            fail(Kind::usage,
                 "OMP_NUM_THREADS={} is no positive integer; set it to the threads of a rank, or "
                 "unset it",
                 text);
        return static_cast<int>(*threads);
    }
    return std::max(1, available_cpus() / host_ranks);
}

int resolve_threads(const Comm& comm, int option, int config) {
    return resolve_threads(comm.node_size(), option, config);
}

} // namespace wavetrain
