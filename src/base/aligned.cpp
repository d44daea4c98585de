/// Aligned memory, in huge pages where it is large.
#include "wavetrain/base/aligned.hpp"

#include <cstdlib>
#include <sys/mman.h>

namespace wavetrain {
namespace {

constexpr std::size_t kCacheLine = 64;
constexpr std::size_t kHugePage = std::size_t{2} << 20;

} // namespace

void* aligned_memory(std::size_t bytes) {
    const bool large = bytes >= 2 * kHugePage;
    const std::size_t alignment = large ? kHugePage : kCacheLine;
    if (bytes > ~std::size_t{0} - alignment) throw std::bad_alloc();
    void* memory = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    if (!memory) throw std::bad_alloc();
    // Advice: where the system has no huge pages, nothing changes but the speed.
    if (large) madvise(memory, bytes, MADV_HUGEPAGE);
    return memory;
}

void free_aligned_memory(void* memory) { std::free(memory); }

} // namespace wavetrain
