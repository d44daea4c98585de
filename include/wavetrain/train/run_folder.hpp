/// The folder of a run: who may write where, and the names of its files.
#pragma once

#include "wavetrain/io/atomic_file.hpp"

#include <memory>
#include <string>

namespace wavetrain {

/// The files of a run, by their folder.
struct RunFolder {
    std::string folder;

    std::string weights() const { return folder + "/weights.h5"; }
    std::string metrics() const { return folder + "/metrics.jsonl"; }
    std::string config() const { return folder + "/config.toml"; }
    std::string checkpoints() const { return folder + "/checkpoints"; }
};

/// Keeps other trainings out of a folder that exists. Waits some seconds for one that is ending;
/// then a `usage` error.
std::shared_ptr<FolderLock> lock_folder(const RunFolder& run);

/// Whether the folder holds a run: metrics.jsonl, weights.h5 or checkpoints/.
bool holds_run(const RunFolder& run);

/// Makes the folder ready for a new run. A folder that holds a run is refused (`usage`) unless
/// `overwrite`, which first removes that run's own files and nothing else. `environment` errors
/// where the file system refuses.
void claim_folder(const RunFolder& run, bool overwrite);

/// Removes the temporary files that a killed run may have left behind.
void remove_leftovers(const RunFolder& run);

} // namespace wavetrain
