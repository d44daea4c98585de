/// What this machine grants the process: CPUs and memory, affinity and cgroup limits included.
#pragma once

#include <cstdint>
#include <string>

namespace wavetrain {

/// CPUs that this process may use: the affinity mask, cut by the cgroup quota (v2 and v1), at
/// least 1.
int available_cpus();

/// Bytes that can still be allocated: the kernel's MemAvailable, cut by the room left under the
/// cgroup limit and by RLIMIT_AS.
std::uint64_t available_memory_bytes();

/// The host's name.
std::string host_name();

/// "1,099,511,627,776": a byte count for a person.
std::string grouped(std::uint64_t number);

} // namespace wavetrain
