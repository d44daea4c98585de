/// Buffers on cache-line boundaries.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <span>

namespace wavetrain {

/// Memory on a cache-line boundary; from some megabytes on on a huge page's, which the system is
/// asked for. Throws std::bad_alloc.
void* aligned_memory(std::size_t bytes);
void free_aligned_memory(void* memory);

/// Says that a buffer does not begin with zeros.
struct Uninitialized {};

/// `count` numbers of a trivial type, zero at first unless said otherwise, aligned to 64 bytes,
/// large buffers to huge pages. Throws std::bad_alloc.
template <class T> class AlignedBuffer {
public:
    explicit AlignedBuffer(std::size_t count) : AlignedBuffer(count, Uninitialized{}) {
        std::uninitialized_fill_n(data_.get(), count, T{});
    }
    AlignedBuffer(std::size_t count, Uninitialized)
        : data_(static_cast<T*>(aligned_memory(count * sizeof(T)))), count_(count) {}

    T* data() { return data_.get(); }
    const T* data() const { return data_.get(); }
    std::size_t size() const { return count_; }
    std::span<T> span() { return {data_.get(), count_}; }
    std::span<const T> span() const { return {data_.get(), count_}; }

private:
    struct Free {
        void operator()(T* pointer) const { free_aligned_memory(pointer); }
    };

    std::unique_ptr<T, Free> data_;
    std::size_t count_;
};

} // namespace wavetrain
