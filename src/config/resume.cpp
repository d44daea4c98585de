/// How a run begins: looking for checkpoints, and whether they belong to the config.
#include "wavetrain/config/resume.hpp"

#include "wavetrain/base/error.hpp"
#include "wavetrain/base/json.hpp"
#include "wavetrain/base/log.hpp"
#include "wavetrain/comm/together.hpp"
#include "wavetrain/config/assemble.hpp"
#include "wavetrain/io/atomic_file.hpp"

#include <algorithm>
#include <filesystem>

namespace wavetrain {
namespace {

namespace fs = std::filesystem;

/// The folder of a run in which a checkpoint lies: above the one that holds the checkpoints.
std::string run_of(const std::string& checkpoint) {
    return fs::absolute(checkpoint).lexically_normal().parent_path().parent_path().string();
}

CheckpointFile named_checkpoint(const std::string& path) {
    if (!is_folder(path)) return {path, read_checkpoint(path)};
    const std::string inner = RunFolder{path}.checkpoints();
    auto found = newest_checkpoint(is_folder(inner) ? inner : path);
    if (!found) fail(Kind::environment, "--resume {}: the folder holds no whole checkpoint", path);
    return std::move(*found);
}

/// The record that a finished run ends its metrics with; null if there is none.
Json end_of_finished(const RunFolder& folder) {
    if (!exists(folder.metrics()) || !exists(folder.weights())) return {};
    std::string text = read_text(folder.metrics());
    if (text.empty() || text.back() != '\n') return {};
    text.pop_back();
    try {
        Json last = Json::parse(text.substr(text.rfind('\n') + 1));
        if (last.at("event").text() == "end" && last.at("status").text() == "finished") return last;
    } catch (const Error&) {
        return {}; // a damaged record: of no finished run
    }
    return {};
}

TrainResult finished_result(const RunFolder& folder) {
    TrainResult result;
    result.files = {folder.config(), folder.metrics(), folder.weights()};
    return result;
}

void say_finished(const RunFolder& folder, std::int64_t epochs) {
    log_info("the run in '{}' is finished ({} epochs): there is nothing to do; to train on, raise "
             "train.epochs",
             folder.folder, epochs);
}

bool has_finished(const TrainState& state, const TrainOptions& options) {
    const bool out_of_patience = options.early_stopping_patience > 0 &&
                                 state.without_improvement >= options.early_stopping_patience;
    return state.step_in_epoch == 0 && (state.epochs_done() == options.epochs || out_of_patience);
}

Config read_identity(const std::string& text) { return parse_config(text, "/checkpoint", {}); }

/// Without a checkpoint a finished run cannot go on: more epochs than it had are refused, unless it
/// may have stopped early (after at least one epoch and as many as its patience).
void refuse_more_epochs(const Config& config, std::int64_t had) {
    const std::int64_t patience = config.train.early_stopping_patience;
    if (config.train.epochs <= had || (patience > 0 && had > patience)) return;
    fail(Kind::usage,
         "the run in '{}' is finished after {} epochs and holds no checkpoint to reach "
         "train.epochs = {} from; train anew with --overwrite",
         config.output.folder, had, config.train.epochs);
}

/// Refuses a config that would train something else than the checkpoint's.
void check_keys(const Config& config, const Checkpoint& checkpoint, const std::string& file) {
    std::vector<std::string> changed =
        changed_keys(read_identity(checkpoint.config), read_identity(config_identity(config)),
                     ConfigPart::training);
    std::erase(changed, "train.epochs");
    if (changed.empty()) return;
    fail(Kind::usage,
         "{} {} from the checkpoint '{}'; a resumed run may change only train.epochs, "
         "engine.threads, [output], [checkpoint], [telemetry] and [comm]",
         fmt::join(changed, ", "), changed.size() == 1 ? "differs" : "differ", file);
}

/// What rank 0 finds out: without a checkpoint `file` is empty.
struct Findings {
    CheckpointFile file;
    bool overwrite = false;
    bool finished = false;
    std::int64_t epochs = 0; ///< of a run that is finished without a checkpoint
};

Findings look(const Config& config, const std::string& resume, bool overwrite) {
    const RunFolder folder{config.output.folder};
    Findings findings;
    if (resume == "never") {
        findings.overwrite = overwrite;
        if (holds_run(folder) && !overwrite) claim_folder(folder, false); // refuses
        return findings;
    }
    if (resume == "auto") {
        auto found = newest_checkpoint(folder.checkpoints());
        if (!found) {
            findings.overwrite = holds_run(folder);
            const Json end = end_of_finished(folder);
            findings.finished = !end.is_null();
            if (findings.finished) {
                findings.epochs = end.at("epochs").integer();
                refuse_more_epochs(config, findings.epochs);
                say_finished(folder, findings.epochs);
            } else {
                log_info("no checkpoint in '{}': the run starts afresh", folder.checkpoints());
            }
            return findings;
        }
        findings.file = std::move(*found);
    } else {
        findings.file = named_checkpoint(resume);
    }
    const Checkpoint checkpoint = parse_checkpoint(findings.file.bytes, findings.file.path);
    if (holds_run(folder) && !is_same_file(run_of(findings.file.path), folder.folder))
        fail(Kind::usage,
             "output.folder '{}' holds another run than that of the checkpoint '{}'; choose "
             "another folder (--set output.folder=...)",
             folder.folder, findings.file.path);
    check_keys(config, checkpoint, findings.file.path);
    findings.finished =
        has_finished(checkpoint.state, config.train) && !end_of_finished(folder).is_null();
    if (findings.finished) say_finished(folder, checkpoint.state.epochs_done());
    return findings;
}

/// Gives all ranks what rank 0 has found.
Findings share(const Findings& own, Comm& comm) {
    std::string facts = Json::object()
                            .set("path", own.file.path)
                            .set("overwrite", own.overwrite)
                            .set("finished", own.finished)
                            .set("epochs", own.epochs)
                            .dump();
    std::string bytes = own.file.bytes;
    comm.broadcast(facts, 0);
    comm.broadcast(bytes, 0);
    const Json json = Json::parse(facts);
    return {{json.at("path").text(), std::move(bytes)},
            json.at("overwrite").boolean(),
            json.at("finished").boolean(),
            json.at("epochs").integer()};
}

} // namespace

std::string config_identity(const Config& config) {
    return config_text(config, ConfigPart::everything, "/");
}

RunStart plan_start(const Config& config, const std::string& resume, bool overwrite, Comm& comm) {
    const RunFolder folder{config.output.folder};
    Findings findings;
    RunStart start;
    together(comm, "looking for a run to resume", [&] {
        if (resume != "never" && overwrite)
            fail(Kind::usage, "--resume goes on with a run and --overwrite removes it: say one of "
                              "them");
        if (folder.folder.empty())
            fail_at({config.file, 0, 0}, Kind::usage,
                    "the config names no folder for the run: set output.folder");
        if (comm.rank() != 0) return;
        // What is found must still hold when the run begins.
        if (resume != "never" && is_folder(folder.folder)) start.lock = lock_folder(folder);
        findings = look(config, resume, overwrite);
    });
    findings = share(findings, comm);
    start.overwrite = findings.overwrite;
    if (findings.file.path.empty()) {
        if (findings.finished) {
            start.finished = finished_result(folder);
            start.finished->epochs = findings.epochs;
        }
        return start;
    }
    Checkpoint checkpoint = parse_checkpoint(findings.file.bytes, findings.file.path);
    if (findings.finished) {
        start.finished = finished_result(folder);
        start.finished->epochs = checkpoint.state.epochs_done();
        start.finished->steps = checkpoint.state.step;
        start.finished->training = checkpoint.state.training;
        start.finished->validation = checkpoint.state.validation;
    } else {
        start.machine = {checkpoint.simd, checkpoint.piece_amplitudes};
        start.resumption = Resumption{std::move(checkpoint), findings.file.path,
                                      RunFolder{run_of(findings.file.path)}.metrics()};
    }
    return start;
}

} // namespace wavetrain
