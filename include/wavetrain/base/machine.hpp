/// What this machine grants the process: CPUs and memory, affinity and cgroup limits included.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace wavetrain {

/// CPUs that this process may use: the affinity mask, cut by the cgroup quota (v2 and v1; parts
/// of a CPU are dropped), at least 1. `root` is where proc/ and sys/ lie; tests give a made-up one.
int available_cpus(const std::filesystem::path& root = "/");

/// Bytes that can still be allocated: the kernel's MemAvailable, cut by the room left under the
/// cgroup limit and by RLIMIT_AS.
std::uint64_t available_memory_bytes(const std::filesystem::path& root = "/");

/// The smallest CPU quota of this process's cgroups, in CPUs (1.5 is possible); nothing where none
/// is set.
std::optional<double> cgroup_cpus(const std::filesystem::path& root = "/");

/// The least room left under the memory limits of this process's cgroups, in bytes, file cache that
/// can be dropped counted as free; nothing where no limit is set.
std::optional<std::uint64_t> cgroup_memory_room_bytes(const std::filesystem::path& root = "/");

/// Bytes of the second-level cache of a core; a usual value where the system does not say.
std::uint64_t second_cache_bytes();

/// The smallest memory limit of this process's cgroups, in bytes; nothing where none is set.
std::optional<std::uint64_t> cgroup_memory_limit_bytes(const std::filesystem::path& root = "/");

/// The CPUs, by number, that the affinity mask lets this process use; in rising order.
std::vector<int> affinity_cpus();

/// CPUs that are switched on in this machine, whoever may use them.
int online_cpus();

/// The host's name.
std::string host_name();

/// "1,099,511,627,776": a byte count for a person.
std::string grouped(std::uint64_t number);
/// The same; from 2^63 on as a power of two, rounded up.
std::string grouped_bytes(double bytes);

} // namespace wavetrain
