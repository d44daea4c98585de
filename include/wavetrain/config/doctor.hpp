/// What surrounds a job: facts of launcher, hosts and output folder, and what is wrong with them.
#pragma once

#include "wavetrain/base/json.hpp"
#include "wavetrain/comm/comm.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace wavetrain {

/// What one rank finds.
struct RankFacts {
    int rank = 0;
    std::string host;
    std::string program;   ///< version and commit
    std::string simd;      ///< the instruction set that the engine uses there
    std::vector<int> cpus; ///< by the affinity mask
    int online_cpus = 1;
    std::optional<double> cpu_quota; ///< of the cgroups
    int threads = 1;
    std::uint64_t memory_bytes = 0; ///< that can still be allocated
    std::optional<std::uint64_t> memory_limit_bytes;
    double clock_seconds = 0; ///< the wall clock, just after a barrier
};

/// What rank 0, the only writer, finds in the output folder.
struct FolderFacts {
    std::string path;
    std::string problem; ///< why nothing can be written, empty where it can
    std::string locking; ///< what HDF5 says where it cannot open its own file again
    std::uint64_t free_bytes = 0;
};

/// All that is judged.
struct LaunchFacts {
    std::vector<RankFacts> ranks;
    FolderFacts folder;
    std::string mpi; ///< the library's version text
    /// Rank 0's variables of launchers, Open MPI, OpenMP and HDF5.
    std::map<std::string, std::string> environment;
    int expect_ranks = 0; ///< 0: nothing was said
    int expect_hosts = 0;
    double needed_bytes = 0; ///< of states on each rank, by the plan of a config; 0: no config
};

/// How a finding is meant.
enum class Verdict {
    good,
    slow,  ///< works, but wastes time or comes to harm later
    wrong, ///< fails, or is slower by an order of magnitude: exit code 5
};

/// One judgement with what mends it.
struct Finding {
    std::string subject; ///< "launcher", "ranks", "hosts", ...
    Verdict verdict = Verdict::good;
    std::string text;
    std::string remedy; ///< a command or setting; empty where nothing is to mend
};

/// "good", "slow", "wrong".
std::string_view verdict_name(Verdict verdict);

/// What doctor looks at beside the launch.
struct DoctorOptions {
    std::string config; ///< names the output folder and what the states need; may be empty
    std::vector<std::string> sets;
    std::string folder = "."; ///< where no config is given
    int threads = 0;
    int expect_ranks = 0;
    int expect_hosts = 0;
};

/// Collective. Looks at every rank; writes a small file into the output folder (or the nearest
/// folder above it that exists) and removes it again.
LaunchFacts launch_facts(Comm& comm, const DoctorOptions& options);

/// Judges the facts, subject by subject, in a fixed order; a function of the facts alone.
std::vector<Finding> judge(const LaunchFacts& facts);

/// The facts for machines.
Json facts_json(const LaunchFacts& facts);

} // namespace wavetrain
