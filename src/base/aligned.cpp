/// Aligned memory, in huge pages where it is large.
#include "wavetrain/base/aligned.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <sys/mman.h>
#include <vector>

namespace wavetrain {
namespace {

constexpr std::size_t kCacheLine = 64;
constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kLarge = 2 * kHugePage;
/// Of freed memory that is kept.
constexpr std::size_t kMostKept = std::size_t{1} << 30;

std::size_t rounded(std::size_t bytes, std::size_t unit) {
    if (bytes > ~std::size_t{0} - unit) throw std::bad_alloc();
    return (bytes + unit - 1) / unit * unit;
}

/// Large buffers. The system hands them out page by page, each cleared when it is first touched:
/// for a state vector as slow as some sweeps of gates. So freed ones are kept for the next of the
/// same size; one of another size lets them go first.
class LargeBuffers {
public:
    ~LargeBuffers() { drop(); }

    void* take(std::size_t bytes) {
        const std::lock_guard lock(mutex_);
        void* memory = nullptr;
        const auto found = std::find_if(kept_.begin(), kept_.end(),
                                        [&](void* kept) { return sizes_.at(kept) == bytes; });
        if (found != kept_.end()) {
            memory = *found;
            kept_.erase(found);
            kept_bytes_ -= bytes;
            return memory;
        }
        drop();
        memory = std::aligned_alloc(kHugePage, bytes);
        if (!memory) throw std::bad_alloc();
        // Advice: where the system has no huge pages, nothing changes but the speed.
        madvise(memory, bytes, MADV_HUGEPAGE);
        sizes_.emplace(memory, bytes);
        return memory;
    }

    /// Whether it was one of these.
    bool give_back(void* memory) {
        const std::lock_guard lock(mutex_);
        const auto size = sizes_.find(memory);
        if (size == sizes_.end()) return false;
        if (kept_bytes_ + size->second > kMostKept) {
            sizes_.erase(size);
            std::free(memory);
        } else {
            kept_bytes_ += size->second;
            kept_.push_back(memory);
        }
        return true;
    }

private:
    void drop() {
        for (void* memory : kept_) {
            sizes_.erase(memory);
            std::free(memory);
        }
        kept_.clear();
        kept_bytes_ = 0;
    }

    std::mutex mutex_;
    std::map<void*, std::size_t> sizes_; // of those in use and those kept
    std::vector<void*> kept_;
    std::size_t kept_bytes_ = 0;
};

LargeBuffers& large_buffers() {
    static LargeBuffers buffers;
    return buffers;
}

} // namespace

void* aligned_memory(std::size_t bytes) {
    if (bytes >= kLarge) return large_buffers().take(rounded(bytes, kHugePage));
    void* memory = std::aligned_alloc(kCacheLine, rounded(bytes, kCacheLine));
    if (!memory) throw std::bad_alloc();
    return memory;
}

void free_aligned_memory(void* memory) {
    if (memory && !large_buffers().give_back(memory)) std::free(memory);
}

} // namespace wavetrain
