/// The MPI world as a Comm.
#pragma once

#include "wavetrain/comm/comm.hpp"

#include <memory>

namespace wavetrain {

/// MPI from start to end: initialises it (MPI_THREAD_FUNNELED), finalises it when destroyed. Make
/// one, in main, before anything else.
class MpiSession {
public:
    MpiSession(int* argc, char*** argv);
    ~MpiSession();
    MpiSession(const MpiSession&) = delete;
    MpiSession& operator=(const MpiSession&) = delete;

    Comm& world();

private:
    std::unique_ptr<Comm> world_;
};

/// The MPI library's own version text, one line.
std::string mpi_library();

} // namespace wavetrain
