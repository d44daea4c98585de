/// The [gradient] table.
#pragma once

#include <string>

namespace wavetrain {

struct GradientOptions {
    std::string method = "auto"; ///< auto | adjoint | parameter_shift | finite_difference
};

} // namespace wavetrain
