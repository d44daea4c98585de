/// Judging a launch: facts in, findings with their remedies out.
#include "wavetrain/config/doctor.hpp"

#include "wavetrain/base/format.hpp"
#include "wavetrain/base/machine.hpp"
#include "wavetrain/base/text.hpp"

#include <algorithm>
#include <set>

namespace wavetrain {
namespace {

constexpr double kMiB = 1024.0 * 1024.0;
/// What a rank takes beside its states: libraries, data, MPI's buffers.
constexpr double kRankBytes = 128 * kMiB;
constexpr double kLittleSpace = 64 * kMiB;
constexpr double kModestSpace = 1024 * kMiB;
/// Time stamps and timers of ranks are compared only roughly.
constexpr double kClockSeconds = 1.0;
/// Silence after which a lost host should have been noticed.
constexpr long long kKeepaliveSeconds = 60;

std::string mebibytes(double bytes) { return format("{:.0f} MiB", bytes / kMiB); }

/// The ranks of one host and the CPUs that they may use together.
struct Host {
    std::string name;
    std::vector<RankFacts> ranks;
    std::set<int> cpus;
    double usable = 0; ///< CPUs, cut by the quota
    int threads = 0;
};

class Judge {
public:
    explicit Judge(const LaunchFacts& facts) : facts_(facts) {
        for (const RankFacts& rank : facts.ranks) {
            auto host = std::find_if(hosts_.begin(), hosts_.end(),
                                     [&](const Host& h) { return h.name == rank.host; });
            if (host == hosts_.end()) host = hosts_.insert(host, Host{rank.host, {}, {}, 0, 0});
            host->ranks.push_back(rank);
            host->cpus.insert(rank.cpus.begin(), rank.cpus.end());
            host->threads += rank.threads;
        }
        for (Host& host : hosts_) {
            host.usable = static_cast<double>(host.cpus.size());
            if (host.ranks.front().cpu_quota)
                host.usable = std::min(host.usable, *host.ranks.front().cpu_quota);
        }
    }

    std::vector<Finding> findings() {
        launcher();
        ranks();
        hosts();
        programs();
        threads();
        binding();
        oversubscription();
        memory();
        mpi();
        settings();
        folder();
        clocks();
        return std::move(findings_);
    }

private:
    void add(const char* subject, Verdict verdict, std::string text, std::string remedy = "") {
        findings_.push_back({subject, verdict, std::move(text), std::move(remedy)});
    }
    std::optional<std::string> variable(const std::string& name) const {
        const auto found = facts_.environment.find(name);
        return found == facts_.environment.end() ? std::nullopt : std::optional(found->second);
    }
    std::optional<long long> integer(const std::string& name) const {
        const auto text = variable(name);
        return text ? parse_integer(*text) : std::nullopt;
    }
    /// Whether mpirun (of Open MPI 4 or 5) started this rank: only it sets this one, while others
    /// of the family appear by MPI_Init in a process that nobody launched.
    bool by_mpirun() const { return variable("OMPI_COMM_WORLD_SIZE").has_value(); }
    bool by_srun() const { return variable("SLURM_STEP_ID") && !by_mpirun(); }
    /// Open MPI's first version number; 0 for another library.
    long long open_mpi() const {
        const auto at = facts_.mpi.find("Open MPI v");
        if (at == std::string::npos) return 0;
        const std::string_view rest = std::string_view(facts_.mpi).substr(at + 10);
        return parse_integer(rest.substr(0, rest.find('.'))).value_or(0);
    }
    std::size_t size() const { return facts_.ranks.size(); }

    void launcher();
    void ranks();
    void hosts();
    void programs();
    void threads();
    void binding();
    void oversubscription();
    void memory();
    void mpi();
    void settings();
    void keepalive();
    void folder();
    void clocks();

    const LaunchFacts& facts_;
    std::vector<Host> hosts_;
    std::vector<Finding> findings_;
};

void Judge::launcher() {
    if (by_mpirun()) {
        add("launcher", Verdict::good,
            variable("SLURM_JOB_ID")
                ? format("mpirun inside Slurm's job {}", *variable("SLURM_JOB_ID"))
                : "mpirun");
        return;
    }
    if (by_srun()) {
        const std::string plugin = variable("SLURM_MPI_TYPE").value_or("none");
        const bool pmix = plugin.starts_with("pmix");
        add("launcher", pmix ? Verdict::good : Verdict::wrong,
            format("srun --mpi={}, job {} step {}", plugin, variable("SLURM_JOB_ID").value_or("?"),
                   *variable("SLURM_STEP_ID")),
            pmix ? "" : "srun --mpi=pmix -K1 wavetrain ...");
        return;
    }
    add("launcher", Verdict::good,
        size() == 1 ? "none: one process" : "unknown: neither mpirun nor srun");
}

void Judge::ranks() {
    const auto world = static_cast<long long>(size());
    std::string source = "--expect-ranks";
    long long promised = facts_.expect_ranks;
    if (promised == 0) {
        // mpirun inside an allocation knows better than the allocation.
        for (const char* name : {"OMPI_COMM_WORLD_SIZE", "SLURM_NTASKS", "PMI_SIZE"})
            if (promised == 0) promised = integer(source = name).value_or(0);
    }
    if (promised <= 0 || promised == world) {
        add("ranks", Verdict::good,
            format("{} rank{}{}", world, world == 1 ? "" : "s",
                   promised > 0 ? format(", as {} says", source) : ""));
        return;
    }
    add("ranks", Verdict::wrong,
        format("{} rank{}, but {} says {}{}", world, world == 1 ? "" : "s", source, promised,
               world == 1 ? ": each process believes that it is alone" : ""),
        by_srun() ? format("srun --mpi=pmix -K1 -n {} wavetrain ...", promised)
                  : format("mpirun -n {} wavetrain ...", promised));
}

void Judge::hosts() {
    std::string text = format("{} host{}:", hosts_.size(), hosts_.size() == 1 ? "" : "s");
    std::set<std::size_t> counts;
    for (const Host& host : hosts_) {
        text += format(" {} x {}", host.name, host.ranks.size());
        counts.insert(host.ranks.size());
    }
    const auto expected = static_cast<std::size_t>(facts_.expect_hosts);
    if (expected > 0 && hosts_.size() != expected) {
        add("hosts", Verdict::wrong, format("{}; --expect-hosts says {}", text, expected),
            format("mpirun --hostfile HOSTS --map-by ppr:{}:node wavetrain ...",
                   std::max<std::size_t>(1, size() / expected)));
        return;
    }
    const bool even = counts.size() <= 1;
    add("hosts", even ? Verdict::good : Verdict::slow,
        even ? text : text + "; every step waits for the fullest",
        even ? ""
             : format("mpirun -n {} --map-by ppr:{}:node wavetrain ...",
                      hosts_.size() * (size() / hosts_.size()), size() / hosts_.size()));
}

void Judge::programs() {
    for (const RankFacts& rank : facts_.ranks)
        if (rank.program != facts_.ranks.front().program) {
            add("program", Verdict::wrong,
                format("rank {} on {} runs {}, rank 0 runs {}", rank.rank, rank.host, rank.program,
                       facts_.ranks.front().program),
                "install one version on all hosts, or use a folder that all hosts share");
            return;
        }
    std::set<std::string> sets;
    for (const RankFacts& rank : facts_.ranks) sets.insert(rank.simd);
    // Hosts of several kinds work together; the engine then uses what all of them have.
    add("program", Verdict::good,
        format("{}, SIMD {}", facts_.ranks.front().program, fmt::join(sets, " and ")));
}

void Judge::threads() {
    std::set<int> counts;
    for (const RankFacts& rank : facts_.ranks) counts.insert(rank.threads);
    const bool same = counts.size() == 1;
    const auto said = variable("OMP_NUM_THREADS");
    add("threads", same ? Verdict::good : Verdict::slow,
        format("{} a rank{}", fmt::join(counts, " to "),
               said ? format(" (OMP_NUM_THREADS={} on rank 0)", *said) : ""),
        same ? "" : format("wavetrain ... --threads {}", *counts.begin()));
}

void Judge::binding() {
    for (const RankFacts& rank : facts_.ranks)
        if (static_cast<std::size_t>(rank.threads) > rank.cpus.size()) {
            add("binding", Verdict::wrong,
                format("rank {} on {} has {} threads and is bound to {} CPU{}", rank.rank,
                       rank.host, rank.threads, rank.cpus.size(), rank.cpus.size() == 1 ? "" : "s"),
                by_srun() ? format("srun --cpus-per-task={} ...", rank.threads)
                          : format("mpirun --map-by slot:PE={} ...", rank.threads));
            return;
        }
    std::string text;
    Verdict verdict = Verdict::good;
    std::string remedy;
    for (const Host& host : hosts_) {
        std::size_t cpus = 0;
        for (const RankFacts& rank : host.ranks) cpus += rank.cpus.size();
        const bool apart = cpus == host.cpus.size() && host.ranks.size() > 1;
        const auto online = static_cast<std::size_t>(host.ranks.front().online_cpus);
        text += format("{}{}: {} of {} CPUs, {}", text.empty() ? "" : "; ", host.name,
                       host.cpus.size(), online,
                       apart                        ? "each rank has its own"
                       : host.cpus.size() == online ? "not bound"
                                                    : "shared by the ranks");
        // More ranks than CPUs in a mask that leaves CPUs of the host idle.
        if (!apart && host.ranks.size() > host.cpus.size() && host.cpus.size() < online) {
            verdict = Verdict::wrong;
            remedy = by_srun() ? "srun --cpus-per-task=1 --cpu-bind=cores ..."
                               : "mpirun --bind-to none ... (or without the mask: taskset, cpuset)";
        }
    }
    add("binding", verdict, text, remedy);
}

void Judge::oversubscription() {
    const auto on = [&](const char* name) {
        const std::string text = variable(name).value_or("0");
        return text == "1" || text == "true" || text == "yes";
    };
    // mpirun sets the second where it knows that slots are short.
    const bool yields = on("OMPI_MCA_mpi_yield_when_idle") || on("OMPI_MCA_mpi_oversubscribe");
    for (const Host& host : hosts_) {
        const auto ranks = static_cast<double>(host.ranks.size());
        if (ranks > host.usable && ranks > 1) {
            add("oversubscription", yields ? Verdict::slow : Verdict::wrong,
                format("{}: {} ranks share {:g} CPUs{}", host.name, host.ranks.size(), host.usable,
                       yields ? " (waiting ranks give theirs up)"
                              : ", and a waiting rank keeps its CPU: an allreduce takes "
                                "milliseconds instead of microseconds"),
                yields ? format("mpirun -n {} ...", std::max(1, static_cast<int>(host.usable)))
                       : "export OMPI_MCA_mpi_yield_when_idle=1");
            return;
        }
        if (host.threads > host.usable) {
            add("oversubscription", Verdict::slow,
                format("{}: {} threads share {:g} CPUs", host.name, host.threads, host.usable),
                format("wavetrain ... --threads {}",
                       std::max(1, static_cast<int>(host.usable / ranks))));
            return;
        }
    }
    std::string text;
    for (const Host& host : hosts_)
        text += format("{}{}: {} threads on {:g} CPUs", text.empty() ? "" : "; ", host.name,
                       host.threads, host.usable);
    add("oversubscription", Verdict::good, text);
}

void Judge::memory() {
    for (const Host& host : hosts_) {
        const auto available = static_cast<double>(host.ranks.front().memory_bytes);
        const double needed =
            (kRankBytes + facts_.needed_bytes) * static_cast<double>(host.ranks.size());
        if (needed <= available) continue;
        const auto limit = host.ranks.front().memory_limit_bytes;
        add("memory", facts_.needed_bytes > 0 ? Verdict::wrong : Verdict::slow,
            format("{}: {} ranks need about {}, {} are available{}", host.name, host.ranks.size(),
                   mebibytes(needed), mebibytes(available),
                   limit ? format(" (the cgroup's limit is {})",
                                  mebibytes(static_cast<double>(*limit)))
                         : ""),
            limit && by_srun() ? format("#SBATCH --mem={}M", static_cast<long long>(needed / kMiB))
            : limit ? format("raise the limit to {}, or start fewer ranks", mebibytes(needed))
                    : "start fewer ranks on the host");
        return;
    }
    std::string text;
    for (const Host& host : hosts_) {
        const RankFacts& rank = host.ranks.front();
        text += format(
            "{}{}: {} available, cgroup limits: memory {}, CPUs {}", text.empty() ? "" : "; ",
            host.name, mebibytes(static_cast<double>(rank.memory_bytes)),
            rank.memory_limit_bytes ? mebibytes(static_cast<double>(*rank.memory_limit_bytes))
                                    : "none",
            rank.cpu_quota ? format("{:g}", *rank.cpu_quota) : "none");
    }
    add("memory", Verdict::good, text);
}

void Judge::mpi() {
    if (open_mpi() == 4) {
        add("mpi", Verdict::good, facts_.mpi);
        return;
    }
    if (open_mpi() < 5) {
        add("mpi", Verdict::slow, facts_.mpi + " (not tested; Open MPI 4.1 is)",
            "apt-get install openmpi-bin libopenmpi-dev, then build again");
        return;
    }
    // The launcher of Open MPI 5 passes over these without a word.
    std::vector<std::string> ignored;
    for (const auto& [name, value] : facts_.environment)
        for (const char* family : {"OMPI_MCA_orte_", "OMPI_MCA_oob_", "OMPI_MCA_plm_",
                                   "OMPI_MCA_rmaps_", "OMPI_MCA_hwloc_"})
            if (name.starts_with(family)) ignored.push_back(name);
    add("mpi", ignored.empty() ? Verdict::good : Verdict::slow,
        ignored.empty() ? facts_.mpi
                        : format("{} does not honour {}", facts_.mpi, fmt::join(ignored, ", ")),
        ignored.empty() ? "" : "use the PRTE_MCA_ names (docs/running.md has the table)");
}

void Judge::settings() {
    std::vector<std::string> set;
    for (const auto& [name, value] : facts_.environment)
        for (const char* known :
             {"mpi_yield_when_idle", "mpi_oversubscribe", "oob_tcp_keepalive_", "plm_rsh_args",
              "plm_ssh_args", "btl", "oob_tcp_if_include", "hwloc_base_binding_policy",
              "rmaps_base_oversubscribe", "rmaps_default_mapping_policy"})
            if (name.starts_with(format("OMPI_MCA_{}", known)) ||
                name.starts_with(format("PRTE_MCA_{}", known)))
                set.push_back(format("{}={}", name, value));
    add("settings", Verdict::good,
        set.empty() ? "none in the environment" : format("{}", fmt::join(set, " ")));
    if (by_mpirun() && hosts_.size() > 1) keepalive();
}

void Judge::keepalive() {
    const std::string prefix =
        format("{}_MCA_oob_tcp_keepalive_", open_mpi() >= 5 ? "PRTE" : "OMPI");
    const long long idle = integer(prefix + "time").value_or(300);
    const long long seconds =
        idle + integer(prefix + "intvl").value_or(20) * integer(prefix + "probes").value_or(9);
    const bool good = idle > 0 && seconds <= kKeepaliveSeconds;
    add("keepalive", good ? Verdict::good : Verdict::slow,
        idle > 0 ? format("a lost host is noticed after about {} s", seconds)
                 : "a lost host is never noticed",
        good ? ""
             : format("scripts/wavetrain-run mpirun ... (or export {0}time=5 {0}intvl=2 "
                      "{0}probes=3)",
                      prefix));
}

void Judge::folder() {
    const FolderFacts& folder = facts_.folder;
    if (!folder.problem.empty()) {
        add("folder", Verdict::wrong, folder.problem,
            "wavetrain train ... --set output.folder=FOLDER");
        return;
    }
    const auto bytes = static_cast<double>(folder.free_bytes);
    const Verdict verdict = bytes < kLittleSpace   ? Verdict::wrong
                            : bytes < kModestSpace ? Verdict::slow
                                                   : Verdict::good;
    add("folder", verdict, format("'{}': {} free", folder.path, mebibytes(bytes)),
        verdict == Verdict::good ? "" : format("make room: du -sh {}/*", folder.path));
    const bool locks = folder.locking.empty();
    add("locking", locks ? Verdict::good : Verdict::wrong,
        locks ? "HDF5 opens its files there" : folder.locking,
        locks ? "" : "export HDF5_USE_FILE_LOCKING=FALSE (mpirun -x HDF5_USE_FILE_LOCKING)");
}

void Judge::clocks() {
    double low = facts_.ranks.front().clock_seconds;
    double high = low;
    for (const RankFacts& rank : facts_.ranks) {
        low = std::min(low, rank.clock_seconds);
        high = std::max(high, rank.clock_seconds);
    }
    const bool good = high - low <= kClockSeconds;
    add("clocks", good ? Verdict::good : Verdict::slow,
        good ? format("together within {:g} s", kClockSeconds)
             : format("{:.1f} s apart: logs of different hosts do not fit together", high - low),
        good ? "" : "chronyc makestep (on each host; or: timedatectl set-ntp true)");
}

} // namespace

std::string_view verdict_name(Verdict verdict) {
    switch (verdict) {
    case Verdict::slow: return "slow";
    case Verdict::wrong: return "wrong";
    case Verdict::good: break;
    }
    return "good";
}

std::vector<Finding> judge(const LaunchFacts& facts) { return Judge(facts).findings(); }

} // namespace wavetrain
