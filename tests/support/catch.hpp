/// Catch2, whichever major version is installed.
#pragma once

#ifdef WAVETRAIN_CATCH2_V3
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif
