/// A folder of a test's own, removed at the end, and where the shared example files are.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

#include <stdlib.h>

namespace wavetrain::test {

/// A new empty folder under the system's temporary one; removed with all it holds.
class Scratch {
public:
    Scratch() {
        std::string name =
            (std::filesystem::temp_directory_path() / "wavetrain_test_XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot create " + name);
        folder_ = name;
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    ~Scratch() {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }

    const std::string& folder() const { return folder_; }
    std::string path(const std::string& name) const { return folder_ + "/" + name; }

private:
    std::string folder_;
};

/// The folder with files written by other programs, named by the environment variable
/// WAVETRAIN_SHARED, else "shared" beside the sources; it may be missing.
inline std::string shared_folder() {
    const char* named = std::getenv("WAVETRAIN_SHARED");
    if (named != nullptr && *named != '\0') return named;
    return std::string(WAVETRAIN_SOURCE_DIR) + "/../shared";
}

} // namespace wavetrain::test
