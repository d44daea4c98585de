/// CPUs and memory, from made-up proc and sys trees.
#include "catch.hpp"
#include "wavetrain/base/machine.hpp"

#include <fstream>
#include <limits>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

using namespace wavetrain;
namespace fs = std::filesystem;

namespace {

/// A folder with made-up files, gone at the end of the test.
class Tree {
public:
    Tree() {
        static int count = 0;
        root_ = fs::temp_directory_path() /
                ("wavetrain_machine_" + std::to_string(getpid()) + "_" + std::to_string(++count));
        fs::create_directories(root_);
    }
    ~Tree() { fs::remove_all(root_); }
    Tree(const Tree&) = delete;
    Tree& operator=(const Tree&) = delete;

    void file(const std::string& path, const std::string& text) const {
        fs::create_directories((root_ / path).parent_path());
        std::ofstream(root_ / path) << text << '\n';
    }
    const fs::path& root() const { return root_; }

private:
    fs::path root_;
};

} // namespace

TEST_CASE("without cgroups nothing is limited", "[base]") {
    const Tree tree;
    CHECK_FALSE(cgroup_cpus(tree.root()).has_value());
    CHECK_FALSE(cgroup_memory_room_bytes(tree.root()).has_value());
    CHECK_FALSE(cgroup_memory_limit_bytes(tree.root()).has_value());
    CHECK(available_cpus(tree.root()) >= 1);
    CHECK(available_memory_bytes(tree.root()) > 0);
}

TEST_CASE("cgroup version 2: the smallest quota up to the mount counts", "[base]") {
    const Tree tree;
    tree.file("proc/self/cgroup", "0::/batch/job7/step0");
    tree.file("sys/fs/cgroup/batch/job7/step0/cpu.max", "max 100000");
    CHECK_FALSE(cgroup_cpus(tree.root()).has_value());
    tree.file("sys/fs/cgroup/batch/job7/cpu.max", "150000 100000");
    tree.file("sys/fs/cgroup/batch/cpu.max", "800000 100000");
    CHECK(cgroup_cpus(tree.root()) == 1.5);
    CHECK(available_cpus(tree.root()) == 1); // a part of a CPU is no CPU
    tree.file("sys/fs/cgroup/batch/job7/step0/cpu.max", "50000 100000");
    CHECK(cgroup_cpus(tree.root()) == 0.5);
    CHECK(available_cpus(tree.root()) == 1);
}

TEST_CASE("a quota above the affinity mask changes nothing", "[base]") {
    const Tree tree;
    tree.file("proc/self/cgroup", "0::/");
    tree.file("sys/fs/cgroup/cpu.max", "10000000000 100000");
    const Tree empty;
    CHECK(available_cpus(tree.root()) == available_cpus(empty.root()));
}

TEST_CASE("cgroup version 2: room is limit less usage, droppable file cache is free", "[base]") {
    const Tree tree;
    tree.file("proc/self/cgroup", "0::/pod/main");
    tree.file("proc/meminfo", "MemTotal: 64 kB\nMemFree: 1 kB\nMemAvailable:   9000 kB");
    CHECK(available_memory_bytes(tree.root()) == 9000 * 1024);
    tree.file("sys/fs/cgroup/pod/main/memory.max", "max");
    tree.file("sys/fs/cgroup/pod/main/memory.current", "70000");
    CHECK_FALSE(cgroup_memory_room_bytes(tree.root()).has_value());
    tree.file("sys/fs/cgroup/pod/memory.max", "1000000");
    CHECK(cgroup_memory_room_bytes(tree.root()) == 1000000U);
    CHECK(cgroup_memory_limit_bytes(tree.root()) == 1000000U);
    tree.file("sys/fs/cgroup/pod/memory.current", "700000");
    CHECK(cgroup_memory_limit_bytes(tree.root()) == 1000000U);
    CHECK(cgroup_memory_room_bytes(tree.root()) == 300000U);
    tree.file("sys/fs/cgroup/pod/memory.stat", "anon 600000\ninactive_file 100000\nfile 1");
    CHECK(cgroup_memory_room_bytes(tree.root()) == 400000U);
    CHECK(available_memory_bytes(tree.root()) == 400000U);
    tree.file("sys/fs/cgroup/pod/memory.current", "5000000");
    CHECK(available_memory_bytes(tree.root()) == 0U);
}

TEST_CASE("cgroup version 1, as a container sees it: its own cgroup at the mount", "[base]") {
    const Tree tree;
    tree.file("proc/self/cgroup", "9:memory:/docker/abc\n4:cpu,cpuacct:/docker/abc\n0::/");
    tree.file("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1");
    tree.file("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000");
    CHECK_FALSE(cgroup_cpus(tree.root()).has_value());
    tree.file("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "300000");
    CHECK(cgroup_cpus(tree.root()) == 3.0);
    tree.file("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712"); // no limit
    CHECK_FALSE(cgroup_memory_room_bytes(tree.root()).has_value());
    tree.file("sys/fs/cgroup/memory/memory.limit_in_bytes", "4000000");
    tree.file("sys/fs/cgroup/memory/memory.usage_in_bytes", "3000000");
    tree.file("sys/fs/cgroup/memory/memory.stat", "inactive_file 5\ntotal_inactive_file 500000");
    CHECK(cgroup_memory_room_bytes(tree.root()) == 1500000U);
}

TEST_CASE("cgroup version 1 on a host: folders of the cgroup, version 2 beside it", "[base]") {
    const Tree tree;
    tree.file("proc/self/cgroup", "9:memory:/jobs/a\n4:cpu:/jobs/a\n0::/jobs/a");
    tree.file("sys/fs/cgroup/cpu/jobs/a/cpu.cfs_quota_us", "200000");
    tree.file("sys/fs/cgroup/cpu/jobs/a/cpu.cfs_period_us", "50000");
    tree.file("sys/fs/cgroup/memory/jobs/memory.limit_in_bytes", "123456");
    CHECK(cgroup_cpus(tree.root()) == 4.0);
    CHECK(cgroup_memory_room_bytes(tree.root()) == 123456U);
    tree.file("sys/fs/cgroup/unified/jobs/cpu.max", "100000 100000");
    CHECK(cgroup_cpus(tree.root()) == 1.0);
}

TEST_CASE("RLIMIT_AS cuts the memory that is available", "[base]") {
    const Tree tree;
    tree.file("proc/meminfo", "MemAvailable: 9000000000000 kB");
    tree.file("proc/self/statm", "10 5 3 2 0 7 0");
    const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    rlimit before{};
    REQUIRE(getrlimit(RLIMIT_AS, &before) == 0);
    constexpr rlim_t kLimit = rlim_t{1} << 46; // no allocation comes near it
    rlimit limit = before;
    limit.rlim_cur = kLimit;
    REQUIRE(setrlimit(RLIMIT_AS, &limit) == 0);
    const std::uint64_t bytes = available_memory_bytes(tree.root());
    REQUIRE(setrlimit(RLIMIT_AS, &before) == 0);
    CHECK(bytes == kLimit - 10 * page);
}

TEST_CASE("the affinity mask as numbers: what a narrowed mask leaves", "[base]") {
    const std::vector<int> before = affinity_cpus();
    REQUIRE_FALSE(before.empty());
    CHECK(static_cast<int>(before.size()) <= online_cpus());
    cpu_set_t old;
    REQUIRE(sched_getaffinity(0, sizeof(old), &old) == 0);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(before.back()), &one);
    REQUIRE(sched_setaffinity(0, sizeof(one), &one) == 0);
    const std::vector<int> narrowed = affinity_cpus();
    REQUIRE(sched_setaffinity(0, sizeof(old), &old) == 0);
    CHECK(narrowed == std::vector<int>{before.back()});
}

TEST_CASE("byte counts are grouped by thousands", "[base]") {
    CHECK(grouped(0) == "0");
    CHECK(grouped(999) == "999");
    CHECK(grouped(1000) == "1,000");
    CHECK(grouped(std::uint64_t{1} << 40) == "1,099,511,627,776");
    CHECK(grouped(std::numeric_limits<std::uint64_t>::max()) == "18,446,744,073,709,551,615");
    CHECK_FALSE(host_name().empty());
}
