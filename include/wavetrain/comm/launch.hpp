/// Does the world that MPI found match what the launcher and the user promised?
#pragma once

#include "wavetrain/comm/comm.hpp"

namespace wavetrain {

/// What the user says about the launch; 0 means nothing was said.
struct LaunchOptions {
    int expect_ranks = 0;
    int expect_hosts = 0;
    bool allow_singleton = false;
    /// Train and sweep refuse a world of 1 under a launcher of more; other commands warn.
    bool refuse_singleton = false;
};

/// Collective. A `launch` error if ranks or hosts differ from what was expected, or if this is one
/// of several singletons: OMPI_COMM_WORLD_SIZE decides where it is set, otherwise SLURM_NTASKS or
/// PMI_SIZE above 1 beside a world of 1.
void check_launch(Comm& comm, const LaunchOptions& options);

/// Threads per rank where none are asked for: available CPUs over ranks on the host, at least 1.
/// `option` is the command line's, `config` engine.threads; above 0 the first of them wins, then
/// OMP_NUM_THREADS. A value of OMP_NUM_THREADS that is no positive integer is a `usage` error.
int resolve_threads(const Comm& comm, int option, int config);
/// The same for a host with this many ranks.
int resolve_threads(int host_ranks, int option, int config);

} // namespace wavetrain
