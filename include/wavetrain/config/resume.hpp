/// How a run begins: afresh, from a checkpoint, or not at all because it is finished.
#pragma once

#include "wavetrain/config/config.hpp"
#include "wavetrain/config/machine_settings.hpp"
#include "wavetrain/train/loop.hpp"

#include <memory>
#include <optional>
#include <string>

namespace wavetrain {

/// What plan_start() has decided.
struct RunStart {
    bool overwrite = false;               ///< remove the run that the folder holds
    std::optional<Resumption> resumption; ///< go on from there
    MachineSettings machine;              ///< as the checkpoint has them
    std::optional<TrainResult> finished;  ///< there is nothing to do: what the finished run came to
    std::shared_ptr<FolderLock> lock;     ///< rank 0's, if it has looked for something to resume
};

/// Collective. Decides how the run of `config` begins; rank 0 looks at the files. `resume` is
/// "never", "auto" (the newest whole checkpoint of the output folder; afresh if there is none) or
/// the path of a checkpoint or of a folder of checkpoints or a run. `usage` errors: the folder
/// holds a run and nothing says what to do with it, or another run than the checkpoint's; a key
/// other than train.epochs and those that do not change what is trained differs from the
/// checkpoint's; `environment`: the checkpoint that was named is missing or damaged.
RunStart plan_start(const Config& config, const std::string& resume, bool overwrite, Comm& comm);

/// The resolved config with paths as seen from the root folder: the same from wherever a run is
/// started.
std::string config_identity(const Config& config);

} // namespace wavetrain
