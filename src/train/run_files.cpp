/// The files of a running training.
#include "run_files.hpp"

#include "order.hpp"
#include "wavetrain/base/error.hpp"
#include "wavetrain/base/hash.hpp"
#include "wavetrain/comm/fault.hpp"
#include "wavetrain/comm/together.hpp"

namespace wavetrain {
namespace {

using Clock = std::chrono::steady_clock;

std::string samples_sha256(const TrainSetup& setup) {
    std::string hashes;
    for (const Samples* samples : {&setup.training, &setup.validation})
        hashes += sha256(samples->features.values) + sha256(samples->labels.values);
    return sha256(hashes);
}

} // namespace

RunFiles::RunFiles(const TrainSetup& setup, Comm& comm, Watchdog& watchdog)
    : setup_(setup), comm_(comm), watchdog_(watchdog) {}

void RunFiles::on_first_rank(const std::string& what, const std::function<void()>& body) {
    watchdog_.mark(what);
    together_run(comm_, what, [&] {
        if (writes()) body();
        watchdog_.await();
    });
}

void RunFiles::begin(const TrainState& state) {
    on_first_rank("preparing the output folder", [&] { open(state); });
    files_ = {setup_.folder.config(), setup_.folder.metrics()};
}

void RunFiles::open(const TrainState& state) {
    const RunFolder& folder = setup_.folder;
    data_sha256_ = samples_sha256(setup_);
    lock_ = setup_.lock;
    if (!lock_ && (!exists(folder.folder) || is_folder(folder.folder))) {
        create_folders(folder.folder);
        lock_ = lock_folder(folder);
    }
    if (setup_.resumption) check_samples(state);
    MetricsHistory history = setup_.resumption ? restore(state) : begin_afresh();
    replace_text(folder.config(), setup_.config_text);
    writer_.emplace(
        std::move(history), folder.checkpoints(), setup_.checkpoint.keep,
        [this](std::int64_t step) { inject_fault(comm_, format("checkpoint:{}", step)); });
}

MetricsHistory RunFiles::begin_afresh() const {
    claim_folder(setup_.folder, setup_.overwrite);
    return MetricsHistory(setup_.folder.metrics());
}

/// What was trained beyond this state is trained again; the weights stay until there are new ones.
MetricsHistory RunFiles::restore(const TrainState& state) const {
    const RunFolder& folder = setup_.folder;
    const Checkpoint& checkpoint = setup_.resumption->checkpoint;
    remove_leftovers(folder);
    // Before the metrics are cut: a later checkpoint that outlives them would count on what is
    // gone.
    remove_checkpoints_after(folder.checkpoints(), state.step, setup_.resumption->file);
    return MetricsHistory(folder.metrics(), setup_.resumption->metrics, checkpoint.metrics_records,
                          checkpoint.metrics_pending);
}

/// A checkpoint goes on only with the samples that it was trained with, in their order.
void RunFiles::check_samples(const TrainState& state) const {
    const Resumption& resumption = *setup_.resumption;
    if (resumption.checkpoint.data_sha256 != data_sha256_)
        fail(Kind::usage,
             "{}: the data are not those of the checkpoint: their hash differs; give the data that "
             "the run began with, or begin a new run",
             resumption.file);
    if (resumption.checkpoint.order_sha256 !=
        order_sha256(setup_.options, setup_.training.count(), state.epoch))
        fail(Kind::usage,
             "{}: this program takes the samples in another order than the one that wrote the "
             "checkpoint; go on with that one, or begin a new run",
             resumption.file);
}

void RunFiles::record(const std::vector<Json>& events) {
    for (const Json& event : events)
        if (writes()) writer_->record(event.dump());
}

bool RunFiles::due_by_time() const {
    const double seconds = setup_.checkpoint.every_seconds;
    return writes() && seconds > 0 &&
           std::chrono::duration<double>(Clock::now() - last_checkpoint_).count() >= seconds;
}

bool RunFiles::due_by_steps(std::int64_t step) const {
    return setup_.checkpoint.every_steps > 0 && step % setup_.checkpoint.every_steps == 0;
}

Checkpoint RunFiles::snapshot(const TrainState& state) const {
    Checkpoint checkpoint;
    checkpoint.state = state;
    checkpoint.config = setup_.config_identity;
    checkpoint.data_sha256 = data_sha256_;
    checkpoint.order_sha256 = order_sha256(setup_.options, setup_.training.count(), state.epoch);
    checkpoint.simd = setup_.weights_info.simd;
    checkpoint.piece_amplitudes = setup_.weights_info.piece_amplitudes;
    return checkpoint;
}

void RunFiles::checkpoint(const TrainState& state) {
    last_checkpoint_ = Clock::now();
    if (writes()) writer_->start(snapshot(state));
}

std::string RunFiles::checkpoint_now(const TrainState& state) {
    on_first_rank("writing a checkpoint", [&] { writer_->write_now(snapshot(state)); });
    return format("{}/{}", setup_.folder.checkpoints(), checkpoint_name(state.step));
}

void RunFiles::finish(const TrainState& state) {
    const std::string checkpoint =
        format("{}/{}", setup_.folder.checkpoints(), checkpoint_name(state.step));
    on_first_rank("writing the weights and the last checkpoint", [&] {
        std::optional<Error> failure;
        try {
            writer_->write_now(snapshot(state));
        } catch (const Error& error) {
            failure = error;
        }
        inject_fault(comm_, "weights");
        save_weights(setup_.folder.weights(), setup_.model, state.parameters, setup_.weights_info);
        if (failure) throw *failure;
    });
    files_.push_back(setup_.folder.weights());
    files_.push_back(checkpoint);
}

void RunFiles::end(const Json& event) {
    on_first_rank("writing metrics", [&] {
        writer_->record(event.dump());
        writer_->finish();
    });
}

void RunFiles::end_by_error(const Json& event) {
    if (!writes()) return;
    writer_->record(event.dump());
    writer_->drain();
}

} // namespace wavetrain
