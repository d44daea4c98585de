/// What the machine grants: affinity, cgroups of both versions, resource limits, free memory.
#include "wavetrain/base/machine.hpp"

#include "wavetrain/base/error.hpp"
#include "wavetrain/base/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <limits>
#include <sched.h>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace wavetrain {
namespace {

namespace fs = std::filesystem;

/// The lines of a file; none if it cannot be read, which here means: this limit does not exist.
std::vector<std::string> lines_of(const fs::path& path) {
    std::vector<std::string> lines;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
}

std::string first_line(const fs::path& path) {
    const auto lines = lines_of(path);
    return lines.empty() ? std::string() : lines.front();
}

std::optional<std::uint64_t> parse_bytes(std::string_view text) {
    const auto number = parse_integer(text);
    if (!number || *number < 0) return std::nullopt;
    return static_cast<std::uint64_t>(*number);
}

/// The number after `key` in lines such as "inactive_file 4096" or "MemAvailable:  12 kB".
std::optional<std::uint64_t> number_after(const std::vector<std::string>& lines,
                                          std::string_view key) {
    for (const std::string& line : lines) {
        if (!line.starts_with(key)) continue;
        const std::string_view rest = trim(std::string_view(line).substr(key.size()));
        return parse_bytes(rest.substr(0, rest.find(' ')));
    }
    return std::nullopt;
}

/// A cgroup's folder and all folders above it, up to where the hierarchy is mounted. Folders that
/// do not exist (a container sees its own cgroup at the mount, under a path of the host) are kept:
/// reading them yields nothing.
void add_folders(const fs::path& mount, const std::string& cgroup, std::vector<fs::path>& folders) {
    fs::path inside = fs::path(cgroup).relative_path();
    while (!inside.empty()) {
        folders.push_back(mount / inside);
        inside = inside.parent_path();
    }
    folders.push_back(mount);
}

/// The folders that limit this process: version 2 where `controller` is empty, else version 1's
/// hierarchy of that controller.
std::vector<fs::path> cgroup_folders(const fs::path& root, const std::string& controller) {
    const fs::path mounts = root / "sys/fs/cgroup";
    std::vector<fs::path> folders;
    for (const std::string& line : lines_of(root / "proc/self/cgroup")) {
        const std::size_t first = line.find(':');
        const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
        if (second == std::string::npos) continue;
        const std::string controllers = line.substr(first + 1, second - first - 1);
        const std::string cgroup = line.substr(second + 1);
        if (controller.empty() && controllers.empty()) {
            add_folders(mounts, cgroup, folders);
            add_folders(mounts / "unified", cgroup, folders);
        } else if (!controller.empty()) {
            const auto names = split(controllers, ',');
            if (std::find(names.begin(), names.end(), controller) == names.end()) continue;
            add_folders(mounts / controllers, cgroup, folders);
            if (controllers != controller) add_folders(mounts / controller, cgroup, folders);
        }
    }
    return folders;
}

template <class Number> void take_smaller(std::optional<Number>& least, Number candidate) {
    if (!least || candidate < *least) least = candidate;
}

std::uint64_t difference(std::uint64_t from, std::uint64_t minus) {
    return from > minus ? from - minus : 0;
}

/// Names of one cgroup version's memory files.
struct MemoryFiles {
    const char* controller;
    const char* limit;
    const char* usage;
    const char* cache; // the line of memory.stat with file cache that can be dropped
};

constexpr std::array kMemoryFiles = {
    MemoryFiles{"", "memory.max", "memory.current", "inactive_file"},
    MemoryFiles{"memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"}};

/// Calls `visit(files, folder, limit)` for every memory limit that is set.
template <class Visit> void for_each_memory_limit(const fs::path& root, Visit visit) {
    // Version 1 says "no limit" with the largest multiple of the page size.
    constexpr std::uint64_t kUnlimited = std::uint64_t{1} << 62;
    for (const MemoryFiles& files : kMemoryFiles)
        for (const fs::path& folder : cgroup_folders(root, files.controller)) {
            const auto limit = parse_bytes(first_line(folder / files.limit));
            if (limit && *limit < kUnlimited) visit(files, folder, *limit);
        }
}

std::uint64_t page_bytes() { return static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)); }

std::optional<std::uint64_t> address_space_room_bytes(const fs::path& root) {
    rlimit limit{};
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
    const std::string pages = first_line(root / "proc/self/statm");
    const auto used = parse_bytes(std::string_view(pages).substr(0, pages.find(' ')));
    return difference(limit.rlim_cur, used.value_or(0) * page_bytes());
}

} // namespace

std::vector<int> affinity_cpus() {
    std::vector<int> found;
    // The kernel refuses a mask that is smaller than its own, so grow until it fits.
    for (int cpus = 1024; cpus <= (1 << 20) && found.empty(); cpus *= 2) {
        std::vector<cpu_set_t> mask(static_cast<std::size_t>(cpus) / CPU_SETSIZE);
        const std::size_t bytes = mask.size() * sizeof(cpu_set_t);
        if (sched_getaffinity(0, bytes, mask.data()) != 0) continue;
        for (int cpu = 0; cpu < cpus; ++cpu)
            if (CPU_ISSET_S(static_cast<std::size_t>(cpu), bytes, mask.data()))
                found.push_back(cpu);
    }
    for (int cpu = 0; found.empty() && cpu < online_cpus(); ++cpu) found.push_back(cpu);
    return found;
}

int online_cpus() { return static_cast<int>(std::max(1U, std::thread::hardware_concurrency())); }

std::optional<double> cgroup_cpus(const fs::path& root) {
    std::optional<double> least;
    const auto take = [&](std::string_view quota_text, std::string_view period_text) {
        const auto quota = parse_double(quota_text); // "max" and -1 mean: no quota
        const auto period = parse_double(period_text);
        if (quota && period && *quota > 0 && *period > 0) take_smaller(least, *quota / *period);
    };
    for (const fs::path& folder : cgroup_folders(root, "")) {
        const auto fields = split(first_line(folder / "cpu.max"), ' ');
        if (fields.size() == 2) take(fields[0], fields[1]);
    }
    for (const fs::path& folder : cgroup_folders(root, "cpu"))
        take(first_line(folder / "cpu.cfs_quota_us"), first_line(folder / "cpu.cfs_period_us"));
    return least;
}

std::optional<std::uint64_t> cgroup_memory_room_bytes(const fs::path& root) {
    std::optional<std::uint64_t> least;
    for_each_memory_limit(root, [&](const MemoryFiles& files, const fs::path& folder,
                                    std::uint64_t limit) {
        const auto usage = parse_bytes(first_line(folder / files.usage));
        const auto cache = number_after(lines_of(folder / "memory.stat"), files.cache);
        take_smaller(least, difference(limit, difference(usage.value_or(0), cache.value_or(0))));
    });
    return least;
}

std::optional<std::uint64_t> cgroup_memory_limit_bytes(const fs::path& root) {
    std::optional<std::uint64_t> least;
    for_each_memory_limit(root, [&](const MemoryFiles&, const fs::path&, std::uint64_t limit) {
        take_smaller(least, limit);
    });
    return least;
}

int available_cpus(const fs::path& root) {
    const auto allowed = static_cast<double>(affinity_cpus().size());
    const double quota = cgroup_cpus(root).value_or(allowed);
    return std::max(1, static_cast<int>(std::floor(std::min(allowed, quota))));
}

std::uint64_t available_memory_bytes(const fs::path& root) {
    const auto kibibytes = number_after(lines_of(root / "proc/meminfo"), "MemAvailable:");
    std::uint64_t bytes =
        kibibytes ? *kibibytes * 1024
                  : static_cast<std::uint64_t>(sysconf(_SC_AVPHYS_PAGES)) * page_bytes();
    constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();
    bytes = std::min(bytes, cgroup_memory_room_bytes(root).value_or(kNoLimit));
    return std::min(bytes, address_space_room_bytes(root).value_or(kNoLimit));
}

std::uint64_t second_cache_bytes() {
    constexpr std::uint64_t kUsual = 512 * 1024;
    const long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
    return bytes > 0 ? static_cast<std::uint64_t>(bytes) : kUsual;
}

std::string host_name() {
    std::array<char, 256> name{};
    if (gethostname(name.data(), name.size() - 1) != 0) return "unknown";
    return name.data();
}

std::string grouped(std::uint64_t number) {
    std::string text = std::to_string(number);
    for (std::size_t end = text.size(); end > 3; end -= 3) text.insert(end - 3, 1, ',');
    return text;
}

std::string grouped_bytes(double bytes) {
    return bytes < std::exp2(63) ? grouped(static_cast<std::uint64_t>(bytes))
                                 : format("2^{:.0f}", std::ceil(std::log2(bytes)));
}

} // namespace wavetrain
