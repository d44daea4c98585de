/// What a test says on stderr, caught in a file.
#pragma once

#include "wavetrain/base/error.hpp"

#include <cstdio>
#include <string>
#include <unistd.h>

/// Sends stderr to a nameless file from construction to destruction.
class CapturedStderr {
public:
    CapturedStderr() : file_(std::tmpfile()), before_(dup(STDERR_FILENO)) {
        wavetrain::promise(file_ != nullptr && before_ >= 0, "stderr can be captured");
        std::fflush(stderr);
        dup2(fileno(file_), STDERR_FILENO);
    }
    ~CapturedStderr() {
        std::fflush(stderr);
        dup2(before_, STDERR_FILENO);
        close(before_);
        std::fclose(file_);
    }
    CapturedStderr(const CapturedStderr&) = delete;
    CapturedStderr& operator=(const CapturedStderr&) = delete;

    /// Everything written so far.
    std::string text() const {
        std::fflush(stderr);
        std::string all;
        char buffer[4096];
        for (ssize_t count = 0, offset = 0;
             (count = pread(fileno(file_), buffer, sizeof buffer, offset)) > 0; offset += count)
            all.append(buffer, static_cast<std::size_t>(count));
        return all;
    }

private:
    std::FILE* file_;
    int before_;
};
