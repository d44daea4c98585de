/// doctor's judgement: made-up launches with what must be found in them.
#include "catch.hpp"
#include "contains.hpp"

#include "wavetrain/comm/threads.hpp"
#include "wavetrain/config/doctor.hpp"

#include <filesystem>
#include <fstream>

using namespace wavetrain;

namespace {

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

std::vector<int> cpus(int first, int count) {
    std::vector<int> numbers;
    for (int cpu = first; cpu < first + count; ++cpu) numbers.push_back(cpu);
    return numbers;
}

/// mpirun with these ranks on each host; hosts of 8 CPUs, nothing bound, nothing wrong.
LaunchFacts launch(const std::vector<int>& ranks_of_hosts) {
    LaunchFacts facts;
    for (std::size_t host = 0; host < ranks_of_hosts.size(); ++host)
        for (int i = 0; i < ranks_of_hosts[host]; ++i) {
            RankFacts rank;
            rank.rank = static_cast<int>(facts.ranks.size());
            rank.host = "node" + std::to_string(host);
            rank.program = "wavetrain 1 (abc)";
            rank.simd = "avx2";
            rank.cpus = cpus(0, 8);
            rank.online_cpus = 8;
            rank.memory_bytes = 16 * kGiB;
            rank.clock_seconds = 1000.0;
            facts.ranks.push_back(rank);
        }
    facts.folder = {"/data/run", "", "", 100 * kGiB};
    facts.mpi = "Open MPI v4.1.4, package: Debian OpenMPI";
    facts.environment = {{"OMPI_COMM_WORLD_SIZE", std::to_string(facts.ranks.size())},
                         {"OMPI_MCA_oob_tcp_keepalive_time", "5"},
                         {"OMPI_MCA_oob_tcp_keepalive_intvl", "2"},
                         {"OMPI_MCA_oob_tcp_keepalive_probes", "3"}};
    return facts;
}

/// The same under srun.
LaunchFacts slurm(int ranks, const std::string& plugin) {
    LaunchFacts facts = launch({ranks});
    facts.environment = {{"SLURM_JOB_ID", "7"},
                         {"SLURM_STEP_ID", "0"},
                         {"SLURM_MPI_TYPE", plugin},
                         {"SLURM_NTASKS", std::to_string(ranks)}};
    return facts;
}

Finding about(const LaunchFacts& facts, const std::string& subject) {
    for (const Finding& finding : judge(facts))
        if (finding.subject == subject) return finding;
    FAIL("nothing is said of " + subject);
    return {};
}

/// That this subject, and no other, is judged so, with this in text and remedy.
void check_only(const LaunchFacts& facts, const std::string& subject, Verdict verdict,
                const std::string& text, const std::string& remedy) {
    for (const Finding& finding : judge(facts)) {
        INFO(finding.subject << ": " << finding.text << " | " << finding.remedy);
        CHECK(finding.verdict == (finding.subject == subject ? verdict : Verdict::good));
        CHECK(finding.remedy.empty() == (finding.verdict == Verdict::good));
    }
    const Finding found = about(facts, subject);
    CHECK(contains(found.text, text));
    CHECK(contains(found.remedy, remedy));
}

} // namespace

TEST_CASE("doctor finds nothing wrong where nothing is", "[config]") {
    for (const LaunchFacts& facts :
         {launch({1}), launch({4}), launch({4, 4}), slurm(4, "pmix"), slurm(1, "pmix_v4")})
        for (const Finding& finding : judge(facts)) {
            INFO(finding.subject << ": " << finding.text);
            CHECK(finding.verdict == Verdict::good);
            CHECK(finding.remedy.empty());
        }
    CHECK(contains(about(slurm(4, "pmix"), "launcher").text, "srun --mpi=pmix, job 7 step 0"));
    CHECK(contains(about(launch({2, 2}), "hosts").text, "2 hosts: node0 x 2 node1 x 2"));
    LaunchFacts bare = launch({1});
    bare.environment = {{"OMPI_COMMAND", "wavetrain"}}; // set by MPI_Init itself
    CHECK(contains(about(bare, "launcher").text, "none"));
}

TEST_CASE("doctor compares the world with what was promised", "[config]") {
    LaunchFacts facts = slurm(1, "pmix");
    facts.environment["SLURM_NTASKS"] = "4";
    check_only(facts, "ranks", Verdict::wrong, "SLURM_NTASKS says 4: each process believes",
               "srun --mpi=pmix -K1 -n 4");
    facts = launch({2});
    facts.environment["SLURM_NTASKS"] = "4"; // mpirun -n 2 inside an allocation of 4
    CHECK(about(facts, "ranks").verdict == Verdict::good);
    facts.expect_ranks = 3;
    check_only(facts, "ranks", Verdict::wrong, "--expect-ranks says 3", "mpirun -n 3");
    facts = launch({4});
    facts.expect_hosts = 2;
    check_only(facts, "hosts", Verdict::wrong, "--expect-hosts says 2", "ppr:2:node");
    facts = launch({1});
    facts.environment = {{"PMI_SIZE", "3"}};
    check_only(facts, "ranks", Verdict::wrong, "PMI_SIZE says 3", "mpirun -n 3");
}

TEST_CASE("doctor knows the Slurm plug-ins that leave ranks alone", "[config]") {
    for (const char* plugin : {"pmi2", "none", "openmpi"})
        check_only(slurm(2, plugin), "launcher", Verdict::wrong, plugin, "srun --mpi=pmix");
}

TEST_CASE("doctor sees uneven hosts and different programs", "[config]") {
    check_only(launch({3, 1}), "hosts", Verdict::slow, "node0 x 3 node1 x 1", "ppr:2:node");
    LaunchFacts facts = launch({1, 1});
    facts.ranks[1].program = "wavetrain 1 (def)";
    check_only(facts, "program", Verdict::wrong, "rank 1 on node1 runs wavetrain 1 (def)",
               "one version");
}

TEST_CASE("hosts of several kinds are in order, and named", "[config]") {
    LaunchFacts facts = launch({1, 1});
    facts.ranks[1].simd = "avx512";
    CHECK(about(facts, "program").verdict == Verdict::good);
    CHECK(contains(about(facts, "program").text, "SIMD avx2 and avx512"));
}

TEST_CASE("doctor sees threads and ranks that share CPUs", "[config]") {
    LaunchFacts facts = launch({4});
    for (RankFacts& rank : facts.ranks) rank.threads = 4;
    check_only(facts, "oversubscription", Verdict::slow, "16 threads share 8 CPUs", "--threads 2");
    facts = launch({12});
    check_only(facts, "oversubscription", Verdict::wrong, "12 ranks share 8 CPUs",
               "OMPI_MCA_mpi_yield_when_idle=1");
    for (const char* name : {"OMPI_MCA_mpi_yield_when_idle", "OMPI_MCA_mpi_oversubscribe"}) {
        facts = launch({12});
        facts.environment[name] = "1";
        check_only(facts, "oversubscription", Verdict::slow, "12 ranks", "mpirun -n 8");
    }
    facts = launch({4});
    for (RankFacts& rank : facts.ranks) rank.cpu_quota = 2.5; // of a container
    check_only(facts, "oversubscription", Verdict::wrong, "4 ranks share 2.5 CPUs", "yield");
    facts = launch({2});
    facts.ranks[1].threads = 2;
    check_only(facts, "threads", Verdict::slow, "1 to 2 a rank", "--threads 1");
}

TEST_CASE("doctor sees ranks that are bound too tightly", "[config]") {
    LaunchFacts facts = launch({4});
    for (std::size_t i = 0; i < 4; ++i) facts.ranks[i].cpus = cpus(static_cast<int>(2 * i), 2);
    CHECK(contains(about(facts, "binding").text, "each rank has its own"));
    CHECK(about(facts, "binding").verdict == Verdict::good);
    facts.ranks[2].threads = 4;
    Finding found = about(facts, "binding");
    CHECK(found.verdict == Verdict::wrong);
    CHECK(contains(found.text, "rank 2 on node0 has 4 threads and is bound to 2 CPUs"));
    CHECK(contains(found.remedy, "mpirun --map-by slot:PE=4"));
    facts = launch({4});
    for (RankFacts& rank : facts.ranks) rank.cpus = cpus(0, 2);
    found = about(facts, "binding");
    CHECK(found.verdict == Verdict::wrong);
    CHECK(contains(found.text, "2 of 8 CPUs, shared by the ranks"));
    CHECK(contains(found.remedy, "--bind-to none"));
}

TEST_CASE("doctor compares memory with limits and plan", "[config]") {
    LaunchFacts facts = launch({4});
    for (RankFacts& rank : facts.ranks) {
        rank.memory_limit_bytes = 2 * kGiB;
        rank.memory_bytes = 1 * kGiB;
        rank.cpu_quota = 4.0;
    }
    CHECK(contains(about(facts, "memory").text,
                   "1024 MiB available, cgroup limits: memory 2048 MiB, CPUs 4"));
    facts.needed_bytes = 1e9;
    check_only(facts, "memory", Verdict::wrong, "(the cgroup's limit is 2048 MiB)", "raise");
    facts = slurm(2, "pmix");
    for (RankFacts& rank : facts.ranks) {
        rank.memory_limit_bytes = rank.memory_bytes = kGiB / 8;
        CHECK(rank.threads == 1);
    }
    check_only(facts, "memory", Verdict::slow, "2 ranks need about 256 MiB", "#SBATCH --mem=256M");
}

TEST_CASE("doctor names settings that this MPI passes over", "[config]") {
    LaunchFacts facts = launch({2});
    CHECK(contains(about(facts, "settings").text, "OMPI_MCA_oob_tcp_keepalive_time=5"));
    facts.mpi = "Open MPI v5.0.7";
    check_only(facts, "mpi", Verdict::slow, "does not honour OMPI_MCA_oob_tcp_keepalive_intvl",
               "PRTE_MCA_");
    facts.mpi = "MPICH Version: 4.0";
    check_only(facts, "mpi", Verdict::slow, "not tested", "openmpi");
}

TEST_CASE("doctor says how long a lost host goes unnoticed", "[config]") {
    LaunchFacts facts = launch({2, 2});
    CHECK(contains(about(facts, "keepalive").text, "after about 11 s"));
    facts.environment.erase("OMPI_MCA_oob_tcp_keepalive_time");
    facts.environment.erase("OMPI_MCA_oob_tcp_keepalive_intvl");
    facts.environment.erase("OMPI_MCA_oob_tcp_keepalive_probes");
    check_only(facts, "keepalive", Verdict::slow, "about 480 s", "wavetrain-run");
    facts.environment["OMPI_MCA_oob_tcp_keepalive_time"] = "0";
    check_only(facts, "keepalive", Verdict::slow, "never", "wavetrain-run");
}

TEST_CASE("doctor judges the output folder", "[config]") {
    LaunchFacts facts = launch({2});
    facts.folder.free_bytes = kGiB / 2;
    check_only(facts, "folder", Verdict::slow, "512 MiB free", "du -sh");
    facts.folder.free_bytes = 1000;
    check_only(facts, "folder", Verdict::wrong, "0 MiB free", "du -sh");
    facts.folder.problem = "cannot write '/data/run/x': Read-only file system";
    check_only(facts, "folder", Verdict::wrong, "Read-only", "output.folder");
    facts = launch({2});
    facts.folder.locking = "unable to lock file, errno = 37";
    check_only(facts, "locking", Verdict::wrong, "errno = 37", "HDF5_USE_FILE_LOCKING=FALSE");
}

TEST_CASE("doctor compares clocks", "[config]") {
    LaunchFacts facts = launch({1, 1});
    facts.ranks[1].clock_seconds += 0.5;
    CHECK(about(facts, "clocks").verdict == Verdict::good);
    facts.ranks[1].clock_seconds += 3;
    check_only(facts, "clocks", Verdict::slow, "3.5 s apart", "chronyc");
}

TEST_CASE("the facts of all ranks are gathered", "[config]") {
    const auto folder = std::filesystem::temp_directory_path() / "wavetrain-doctor-no-such" / "run";
    std::vector<LaunchFacts> seen(3);
    run_ranks(3, [&](Comm& comm) {
        DoctorOptions options;
        options.folder = folder.string();
        options.threads = 2;
        seen[static_cast<std::size_t>(comm.rank())] = launch_facts(comm, options);
    });
    for (const LaunchFacts& facts : seen) {
        REQUIRE(facts.ranks.size() == 3);
        for (int rank = 0; rank < 3; ++rank) {
            const RankFacts& own = facts.ranks[static_cast<std::size_t>(rank)];
            CHECK(own.rank == rank);
            CHECK(own.threads == 2);
            CHECK(own.memory_bytes > 0);
            CHECK_FALSE(own.cpus.empty());
            CHECK(own.clock_seconds > 1e9);
        }
    }
    // A run's folder that is not there yet is looked at in the nearest one that is.
    CHECK(seen[0].folder.path == std::filesystem::temp_directory_path().string());
    CHECK(seen[0].folder.problem.empty());
    CHECK(seen[0].folder.free_bytes > 0);
    CHECK_FALSE(std::filesystem::exists(folder.parent_path()));
    CHECK(facts_json(seen[1]).at("ranks").size() == 3);
}
