/// Buffers on cache-line boundaries.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <span>

namespace wavetrain {

/// `count` numbers of a trivial type, zero at first, aligned to 64 bytes. Throws std::bad_alloc.
template <class T> class AlignedBuffer {
public:
    static constexpr std::size_t kAlignment = 64;

    explicit AlignedBuffer(std::size_t count)
        : data_(static_cast<T*>(::operator new (count * sizeof(T), std::align_val_t{kAlignment}))),
          count_(count) {
        std::uninitialized_fill_n(data_.get(), count, T{});
    }

    T* data() { return data_.get(); }
    const T* data() const { return data_.get(); }
    std::size_t size() const { return count_; }
    std::span<T> span() { return {data_.get(), count_}; }
    std::span<const T> span() const { return {data_.get(), count_}; }

private:
    struct Free {
        void operator()(T* pointer) const {
            ::operator delete (pointer, std::align_val_t{kAlignment});
        }
    };

    std::unique_ptr<T, Free> data_;
    std::size_t count_;
};

} // namespace wavetrain
