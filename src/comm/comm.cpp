/// The world of one rank.
#include "wavetrain/comm/comm.hpp"

#include "wavetrain/base/error.hpp"

namespace wavetrain {

void SoloComm::abort(int exit_code) {
    throw Error(static_cast<Kind>(exit_code), format("aborted with exit code {}", exit_code));
}

} // namespace wavetrain
