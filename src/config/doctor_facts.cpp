/// Collecting what is known of a launch: every rank's own facts, gathered, and rank 0's folder.
#include "wavetrain/config/doctor.hpp"

#include "wavetrain/base/error.hpp"
#include "wavetrain/base/machine.hpp"
#include "wavetrain/base/version.hpp"
#include "wavetrain/comm/launch.hpp"
#include "wavetrain/comm/mpi.hpp"
#include "wavetrain/comm/together.hpp"
#include "wavetrain/config/assemble.hpp"
#include "wavetrain/config/forecast.hpp"
#include "wavetrain/engine/simd.hpp"
#include "wavetrain/io/atomic_file.hpp"
#include "wavetrain/io/h5.hpp"

#include <chrono>
#include <filesystem>
#include <system_error>

#include <unistd.h>

namespace wavetrain {
namespace {

namespace fs = std::filesystem;

Json rank_json(const RankFacts& facts) {
    Json cpus = Json::array();
    for (const int cpu : facts.cpus) cpus.push(cpu);
    Json json = Json::object()
                    .set("rank", facts.rank)
                    .set("host", facts.host)
                    .set("program", facts.program)
                    .set("simd", facts.simd)
                    .set("cpus", cpus)
                    .set("online_cpus", facts.online_cpus)
                    .set("threads", facts.threads)
                    .set("memory_bytes", facts.memory_bytes)
                    .set("clock_seconds", facts.clock_seconds);
    if (facts.cpu_quota) json.set("cpu_quota", *facts.cpu_quota);
    if (facts.memory_limit_bytes) json.set("memory_limit_bytes", *facts.memory_limit_bytes);
    return json;
}

RankFacts rank_facts(const Json& json) {
    RankFacts facts;
    facts.rank = static_cast<int>(json.at("rank").integer());
    facts.host = json.at("host").text();
    facts.program = json.at("program").text();
    facts.simd = json.at("simd").text();
    for (const double cpu : json.at("cpus").numbers()) facts.cpus.push_back(static_cast<int>(cpu));
    facts.online_cpus = static_cast<int>(json.at("online_cpus").integer());
    facts.threads = static_cast<int>(json.at("threads").integer());
    facts.memory_bytes = static_cast<std::uint64_t>(json.at("memory_bytes").integer());
    facts.clock_seconds = json.at("clock_seconds").number();
    if (json.has("cpu_quota")) facts.cpu_quota = json.at("cpu_quota").number();
    if (json.has("memory_limit_bytes"))
        facts.memory_limit_bytes =
            static_cast<std::uint64_t>(json.at("memory_limit_bytes").integer());
    return facts;
}

RankFacts own_facts(const Comm& comm, int threads) {
    RankFacts facts;
    facts.rank = comm.rank();
    facts.host = host_name();
    facts.program = format("wavetrain {} ({})", version(), commit());
    facts.simd = simd_name(simd_in_use());
    facts.cpus = affinity_cpus();
    facts.online_cpus = online_cpus();
    facts.cpu_quota = cgroup_cpus();
    facts.threads = threads;
    facts.memory_bytes = available_memory_bytes();
    facts.memory_limit_bytes = cgroup_memory_limit_bytes();
    return facts;
}

double wall_clock_seconds() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration<double>(now).count();
}

std::map<std::string, std::string> launch_environment() {
    std::map<std::string, std::string> found;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        const std::size_t equals = text.find('=');
        if (equals == std::string_view::npos) continue;
        for (const char* family : {"OMPI_", "PRTE_", "PMI", "SLURM_", "OMP_", "HDF5_"})
            if (text.starts_with(family)) {
                found.emplace(text.substr(0, equals), text.substr(equals + 1));
                break;
            }
    }
    return found;
}

/// A file is written as weights and checkpoints are, and read again; nothing is left behind.
FolderFacts folder_facts(const std::string& path) {
    FolderFacts facts;
    if (path.empty()) {
        facts.problem = "the run has no output folder";
        return facts;
    }
    std::error_code error;
    fs::path place = fs::absolute(path, error);
    while (!fs::exists(place, error) && place.has_relative_path()) place = place.parent_path();
    facts.path = place.string();
    const fs::space_info space = fs::space(place, error);
    if (!error) facts.free_bytes = space.available;
    const std::string file = (place / format(".wavetrain-doctor-{}.h5", getpid())).string();
    try {
        H5File written = H5File::create();
        written.create_group("doctor");
        written.save(file);
    } catch (const Error& caught) {
        facts.problem = caught.what();
        return facts;
    }
    try {
        H5File::open(file);
    } catch (const Error& caught) {
        facts.locking = caught.what();
    }
    fs::remove(file, error);
    return facts;
}

Json folder_json(const FolderFacts& facts) {
    return Json::object()
        .set("path", facts.path)
        .set("free_bytes", facts.free_bytes)
        .set("problem", facts.problem)
        .set("locking", facts.locking);
}

} // namespace

LaunchFacts launch_facts(Comm& comm, const DoctorOptions& options) {
    LaunchFacts facts;
    std::string folder = options.folder;
    const int threads = together(comm, "looking at the launch", [&] {
        int configured = 0;
        if (!options.config.empty()) {
            const Config config = load_config(options.config, options.sets);
            folder = config.output.folder;
            configured = static_cast<int>(config.engine.threads);
        }
        return resolve_threads(comm, options.threads, configured);
    });
    RankFacts own = own_facts(comm, threads);
    together_run(comm, "planning", [&] {
        if (comm.rank() != 0) return;
        if (!options.config.empty())
            facts.needed_bytes =
                forecast_config(load_config(options.config, options.sets), comm.size(), threads)
                    .bytes;
        facts.folder = folder_facts(folder);
    });
    comm.barrier();
    own.clock_seconds = wall_clock_seconds();
    for (const std::string& text : comm.all_gather(rank_json(own).dump()))
        facts.ranks.push_back(rank_facts(Json::parse(text)));
    facts.mpi = mpi_library();
    facts.environment = launch_environment();
    facts.expect_ranks = options.expect_ranks;
    facts.expect_hosts = options.expect_hosts;
    return facts;
}

Json facts_json(const LaunchFacts& facts) {
    Json ranks = Json::array();
    for (const RankFacts& rank : facts.ranks) ranks.push(rank_json(rank));
    return Json::object()
        .set("mpi", facts.mpi)
        .set("ranks", ranks)
        .set("folder", folder_json(facts.folder))
        .set("needed_bytes", facts.needed_bytes);
}

} // namespace wavetrain
