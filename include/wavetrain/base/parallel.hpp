/// Parallel loops: the one place for OpenMP.
#pragma once

#include <cstddef>
#include <exception>
#include <vector>

#ifdef _OPENMP
#include <omp.h>
#endif

namespace wavetrain {

/// Calls body(index, worker) for every index in [0, count), worker in [0, threads). The order and
/// the division among workers are not defined: bodies must not depend on them. The exception of
/// the lowest failing index is thrown again once all are done.
template <class Body> void parallel_for(std::size_t count, int threads, Body&& body) {
    if (threads <= 1 || count <= 1) {
        for (std::size_t index = 0; index < count; ++index) body(index, 0);
        return;
    }
#ifdef _OPENMP
    std::exception_ptr first;
    std::size_t first_index = count;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (std::size_t index = 0; index < count; ++index) {
        try {
            body(index, omp_get_thread_num());
        } catch (...) {
#pragma omp critical(wavetrain_parallel_for)
            if (index < first_index) {
                first_index = index;
                first = std::current_exception();
            }
        }
    }
    if (first) std::rethrow_exception(first);
#else
    for (std::size_t index = 0; index < count; ++index) body(index, 0);
#endif
}

} // namespace wavetrain
