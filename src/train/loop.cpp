/// The training loop: sampler, step, optimizer, telemetry, weights.
#include "wavetrain/train/loop.hpp"

#include "order.hpp"
#include "run_files.hpp"
#include "wavetrain/base/hash.hpp"
#include "wavetrain/base/log.hpp"
#include "wavetrain/base/version.hpp"
#include "wavetrain/comm/fault.hpp"
#include "wavetrain/comm/signals.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace wavetrain {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// The last component of a path.
std::string run_name(const std::string& folder) {
    const std::size_t end = folder.find_last_not_of('/');
    const std::string trimmed = end == std::string::npos ? folder : folder.substr(0, end + 1);
    return trimmed.substr(trimmed.rfind('/') + 1);
}

/// The state that a run begins with.
TrainState first_state(const TrainSetup& setup) {
    if (setup.resumption) return setup.resumption->checkpoint.state;
    TrainState state;
    state.parameters = setup.parameters;
    return state;
}

/// One run, from the claim on its folder to its weights.
class Run {
public:
    Run(const TrainSetup& setup, const Workers& workers, Watchdog& watchdog)
        : setup_(setup), comm_(workers.comm), workers_(workers), watchdog_(watchdog),
          state_(first_state(setup)), trainable_(setup.model.trainable()),
          optimizer_(setup.optimizer, setup.model.parameters()), files_(setup, comm_, watchdog),
          progress_(setup.show_progress && comm_.rank() == 0, setup.options.epochs,
                    steps_per_epoch(), epochs_so_far()) {
        workers_.await = [&] { watchdog_.await(); };
    }

    TrainResult operator()() {
        const auto start = Clock::now();
        check_state();
        files_.begin(state_);
        try {
            say_how_it_begins();
            set_parameters();
            if (asked_to_stop()) stop();
            while (state_.epoch <= setup_.options.epochs && !out_of_patience()) run_epoch();
            watchdog_.mark("ending the run");
            files_.finish(whole_state());
            files_.end(end_event("finished", state_.epochs_done(), "weights.h5", 0));
        } catch (const Error& error) {
            // Known to all ranks: the stream may say how the run ended.
            if (error.everywhere())
                files_.end_by_error(end_event(error.kind() == Kind::stopped ? "stopped" : "failed",
                                              state_.epochs_done(), "", error.exit_code()));
            throw;
        }
        return {state_.epochs_done(), state_.step,          state_.training,
                state_.validation,    seconds_since(start), files_.files()};
    }

private:
    std::size_t batch_size() const { return static_cast<std::size_t>(setup_.options.batch_size); }

    std::int64_t steps_per_epoch() const {
        return static_cast<std::int64_t>((setup_.training.count() + batch_size() - 1) /
                                         batch_size());
    }

    double epochs_so_far() const {
        return static_cast<double>(state_.epochs_done()) +
               static_cast<double>(state_.step_in_epoch) / static_cast<double>(steps_per_epoch());
    }

    /// The optimizer keeps its part to itself while training goes on.
    const TrainState& whole_state() {
        state_.optimizer = optimizer_.state();
        return state_;
    }

    /// A restored state must fit the model and the epochs asked for. All ranks see the same.
    void check_state() {
        if (!setup_.resumption) return;
        const std::string& file = setup_.resumption->file;
        const auto refuse = [&](const std::string& why) {
            throw Error(Kind::usage, format("{}: {}", file, why)).as_everywhere();
        };
        if (state_.parameters.size() != setup_.model.parameters())
            refuse(format("the checkpoint has {} parameters, the model {}",
                          state_.parameters.size(), setup_.model.parameters()));
        if (state_.step_in_epoch > steps_per_epoch())
            refuse(format("the checkpoint has done {} steps of an epoch of {}",
                          state_.step_in_epoch, steps_per_epoch()));
        const std::int64_t begun = state_.epochs_done() + (state_.step_in_epoch > 0 ? 1 : 0);
        if (begun > setup_.options.epochs)
            refuse(format("the checkpoint is in epoch {} already, beyond train.epochs = {}", begun,
                          setup_.options.epochs));
        optimizer_.set_state(state_.optimizer);
    }

    void say_how_it_begins() {
        if (setup_.resumption) {
            const std::string& file = setup_.resumption->file;
            log_info("going on from {} (step {}, epoch {})", file, state_.step, state_.epoch);
            files_.record({resume_event(state_.step, file, comm_.size(), workers_.threads)});
        } else {
            files_.record(
                {start_event({run_name(setup_.folder.folder), std::string(version()), comm_.size(),
                              workers_.threads, setup_.options.seed, setup_.model.parameters()})});
        }
    }

    /// Before the first step there is no sum that the wish could ride in.
    bool asked_to_stop() {
        watchdog_.mark("starting");
        std::int64_t ranks = workers_.asked_to_stop() ? 1 : 0;
        watchdog_.await();
        comm_.sum(std::span(&ranks, 1));
        return ranks > 0;
    }

    [[noreturn]] void stop() {
        agree_on_parameters();
        const std::string file = files_.checkpoint_now(whole_state());
        throw Error(Kind::stopped,
                    format("stopped on a signal after step {} (epoch {}); the checkpoint is {}; to "
                           "go on, give the same command with --resume auto, on any number of "
                           "ranks",
                           state_.step, state_.epoch, file))
            .as_everywhere();
    }

    void run_epoch() {
        const std::size_t count = setup_.training.count();
        const std::vector<std::size_t> order = epoch_order(setup_.options, count, state_.epoch);
        if (setup_.options.log_order && state_.step_in_epoch == 0)
            files_.record({order_event(state_.epoch, {order.begin(), order.end()})});
        const double seconds_before = state_.epoch_seconds;
        const auto start = Clock::now();
        for (std::size_t first = static_cast<std::size_t>(state_.step_in_epoch) * batch_size();
             first < count; first += batch_size()) {
            const StepResult step =
                run_step(std::span(order).subspan(first, std::min(batch_size(), count - first)));
            state_.epoch_seconds = seconds_before + seconds_since(start);
            after_step(step);
        }
        close_epoch();
    }

    StepResult run_step(std::span<const std::size_t> ids) {
        const std::int64_t number = state_.step + 1;
        const std::string what = format("step {}", number);
        const auto start = Clock::now();
        watchdog_.mark_step(what);
        StepFlags flags;
        flags.spoil = inject_fault(comm_, format("step:{}", number));
        flags.stop = workers_.asked_to_stop();
        flags.checkpoint = files_.due_by_time();
        flags.user_signal = take_user_signal();
        state_.learning_rate = optimizer_.learning_rate();
        StepResult step =
            learn_batch(setup_.model, setup_.loss, setup_.training, ids, workers_, what, flags);
        clip_gradient(step.gradient, setup_.options.clip_norm);
        optimizer_.update(state_.parameters, step.gradient, trainable_);
        check_parameters(what);
        set_parameters();
        state_.step = number;
        ++state_.step_in_epoch;
        state_.loss_sum += step.loss_sum;
        state_.correct += step.correct;
        watchdog_.step_took(seconds_since(start));
        return step;
    }

    /// Metrics, progress, and what the ranks have agreed on in the step's sum.
    void after_step(const StepResult& step) {
        const double loss = step.loss_sum / static_cast<double>(step.samples);
        const std::int64_t every = setup_.options.log_every_steps;
        if (every > 0 && state_.step % every == 0) files_.record({step_event(state_.step, loss)});
        progress_.step(state_.epoch, state_.step_in_epoch, loss);
        if (step.user_signal)
            log_info("signal USR2 received at step {}: it is kept, and changes nothing",
                     state_.step);
        if (step.stop) stop();
        if (!step.checkpoint && !files_.due_by_steps(state_.step)) return;
        agree_on_parameters();
        files_.checkpoint(whole_state());
    }

    /// All steps of the epoch are done: validates, reports, goes to the next.
    void close_epoch() {
        EpochRecord record;
        const auto samples = static_cast<double>(setup_.training.count());
        record.training.loss = state_.loss_sum / samples;
        if (setup_.loss.has_labels())
            record.training.accuracy = static_cast<double>(state_.correct) / samples;
        record.validation = validate();
        record.epoch = state_.epoch;
        record.epochs = setup_.options.epochs;
        record.step = state_.step;
        record.learning_rate = state_.learning_rate;
        record.seconds = state_.epoch_seconds;
        record.samples_per_second = record.seconds > 0 ? samples / record.seconds : 0.0;
        record.weights_sha256 = agree_on_parameters();
        files_.record({epoch_event(record)});
        progress_.epoch(record);
        watch_for_improvement(record);
        state_.training = record.training;
        state_.validation = record.validation;
        ++state_.epoch;
        state_.step_in_epoch = 0;
        state_.loss_sum = 0.0;
        state_.correct = 0;
        state_.epoch_seconds = 0.0;
    }

    std::optional<Score> validate() {
        if (setup_.validation.count() == 0) return std::nullopt;
        watchdog_.mark(format("epoch {}: validating", state_.epoch));
        inject_fault(comm_, format("validation:{}", state_.epoch));
        const Evaluation evaluation =
            evaluate_samples(setup_.model, setup_.loss, setup_.validation, workers_,
                             format("validation of epoch {}", state_.epoch));
        if (evaluation.stopped) stop();
        return Score{evaluation.loss, evaluation.accuracy};
    }

    /// All ranks hold the same parameters, so all throw (an angle that is not finite) or none.
    void set_parameters() {
        try {
            setup_.model.set_parameters(state_.parameters);
        } catch (const Error& error) {
            throw error.as_everywhere();
        }
    }

    /// Likewise.
    void check_parameters(const std::string& what) const {
        constexpr double kLargest = std::numeric_limits<float>::max();
        for (double p : state_.parameters)
            if (!(std::abs(p) <= kLargest))
                throw Error(Kind::numeric,
                            format("{}: a weight has become {}: training diverges; a smaller "
                                   "learning rate or train.clip_norm may help",
                                   what, p))
                    .as_everywhere();
    }

    /// The hash of the parameters, which must be the same on all ranks.
    std::string agree_on_parameters() {
        const std::string own = sha256(state_.parameters);
        watchdog_.mark_step(format("step {}: comparing the weights", state_.step));
        watchdog_.await();
        const std::vector<std::string> all = comm_.all_gather(own);
        for (std::size_t rank = 0; rank < all.size(); ++rank)
            if (all[rank] != all.front())
                throw Error(Kind::bug, format("step {}: the weights of rank {} differ from those "
                                              "of rank 0",
                                              state_.step, rank))
                    .as_everywhere();
        return own;
    }

    void watch_for_improvement(const EpochRecord& record) {
        if (setup_.options.early_stopping_patience <= 0 || !record.validation) return;
        if (!state_.best_loss || record.validation->loss < *state_.best_loss) {
            state_.best_loss = record.validation->loss;
            state_.without_improvement = 0;
        } else if (++state_.without_improvement; out_of_patience()) {
            log_info("early stopping: val_loss has not improved for {} epochs",
                     setup_.options.early_stopping_patience);
        }
    }

    bool out_of_patience() const {
        const std::int64_t patience = setup_.options.early_stopping_patience;
        return patience > 0 && state_.without_improvement >= patience;
    }

    const TrainSetup& setup_;
    Comm& comm_;
    Workers workers_;
    Watchdog& watchdog_;
    TrainState state_;
    std::vector<bool> trainable_;
    Optimizer optimizer_;
    RunFiles files_;
    Progress progress_;
};

} // namespace

TrainResult train(const TrainSetup& setup, const Workers& workers, Watchdog& watchdog) {
    return Run(setup, workers, watchdog)();
}

} // namespace wavetrain
