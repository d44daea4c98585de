/// The folder of a run.
#include "wavetrain/train/run_folder.hpp"

#include "wavetrain/base/error.hpp"
#include "wavetrain/train/checkpoint.hpp"

#include <array>

namespace wavetrain {
namespace {

/// What a run writes.
constexpr std::array<const char*, 3> kOwnFiles{"metrics.jsonl", "weights.h5", "config.toml"};
constexpr std::array<const char*, 3> kSignsOfRun{"metrics.jsonl", "weights.h5", "checkpoints"};

} // namespace

std::shared_ptr<FolderLock> lock_folder(const RunFolder& run) {
    // A killed program whose launcher died first may live on for some seconds.
    constexpr double kPatienceSeconds = 5.0;
    return std::make_shared<FolderLock>(run.folder, kPatienceSeconds);
}

bool holds_run(const RunFolder& run) {
    for (const char* name : kSignsOfRun)
        if (exists(run.folder + "/" + name)) return true;
    return false;
}

void claim_folder(const RunFolder& run, bool overwrite) {
    if (exists(run.folder) && !is_folder(run.folder))
        fail(Kind::environment, "output.folder '{}' is a file, not a folder", run.folder);
    const bool overwrites_run = holds_run(run);
    if (overwrites_run) {
        if (!overwrite)
            fail(Kind::usage,
                 "output.folder '{}' already holds a run; choose another folder (--set "
                 "output.folder=...), go on with it (--resume auto) or remove it first "
                 "(--overwrite)",
                 run.folder);
        for (const char* name : kOwnFiles) remove_path(run.folder + "/" + name);
        remove_leftovers(run);
        remove_checkpoints_from(run.checkpoints(), 0);
        // A link to another disk is the user's own.
        if (is_folder(run.checkpoints()) && !is_link(run.checkpoints()) &&
            list_folder(run.checkpoints()).empty())
            remove_path(run.checkpoints());
    }
    if (exists(run.config()) && !overwrites_run)
        fail(Kind::usage,
             "output.folder '{}' holds a config.toml that belongs to no run and would be replaced; "
             "choose another folder (--set output.folder=...)",
             run.folder);
    create_folders(run.folder);
}

void remove_leftovers(const RunFolder& run) {
    for (const char* name : kOwnFiles) remove_path(format("{}/{}.tmp", run.folder, name));
    if (!is_folder(run.checkpoints())) return;
    for (const std::string& name : list_folder(run.checkpoints()))
        if (name.starts_with("step-") && name.ends_with(".h5.tmp"))
            remove_path(format("{}/{}", run.checkpoints(), name));
}

} // namespace wavetrain
