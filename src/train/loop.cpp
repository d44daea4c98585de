/// The training loop: sampler, step, optimizer, telemetry, weights.
#include "wavetrain/train/loop.hpp"

#include "wavetrain/base/hash.hpp"
#include "wavetrain/base/log.hpp"
#include "wavetrain/base/version.hpp"
#include "wavetrain/comm/fault.hpp"
#include "wavetrain/comm/together.hpp"
#include "wavetrain/comm/watchdog.hpp"
#include "wavetrain/io/atomic_file.hpp"

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

/// One run, from the claim on its folder to its weights.
class Run {
public:
    Run(const TrainSetup& setup, const Workers& workers)
        : setup_(setup), comm_(workers.comm), workers_(workers), parameters_(setup.parameters),
          trainable_(setup.model.trainable()),
          optimizer_(setup.optimizer, setup.model.parameters()),
          watchdog_(workers.comm, setup.timeout_seconds),
          progress_(setup.show_progress && workers.comm.rank() == 0, setup.options.epochs,
                    steps_per_epoch()) {}

    TrainResult operator()() {
        workers_.mark = [&](const std::string& what) { watchdog_.mark(what); };
        const auto start = Clock::now();
        begin();
        try {
            epochs();
            finish();
        } catch (const Error& error) {
            // Known to all ranks: the stream may say how the run ended.
            if (error.everywhere())
                write("ending the run",
                      {end_event("failed", result_.epochs, "", error.exit_code())});
            throw;
        }
        result_.seconds = seconds_since(start);
        return std::move(result_);
    }

private:
    std::size_t batch_size() const { return static_cast<std::size_t>(setup_.options.batch_size); }

    std::int64_t steps_per_epoch() const {
        return static_cast<std::int64_t>((setup_.training.count() + batch_size() - 1) /
                                         batch_size());
    }

    /// Appends events to metrics.jsonl, on rank 0.
    void write(const char* what, const std::vector<Json>& events) {
        on_root(comm_, what, [&] {
            for (const Json& event : events) metrics_->append(event.dump());
        });
    }

    void begin() {
        on_root(comm_, "preparing the output folder", [&] {
            claim_folder(setup_.folder, setup_.overwrite);
            replace_text(setup_.folder.config(), setup_.config_text);
            metrics_.emplace(setup_.folder.metrics());
        });
        result_.files = {setup_.folder.config(), setup_.folder.metrics()};
        write("starting the run",
              {start_event({run_name(setup_.folder.folder), std::string(version()), comm_.size(),
                            workers_.threads, setup_.options.seed, setup_.model.parameters()})});
        set_parameters();
    }

    void epochs() {
        for (std::int64_t epoch = 1; epoch <= setup_.options.epochs; ++epoch) {
            const EpochRecord record = run_epoch(epoch);
            write("writing metrics", {epoch_event(record)});
            progress_.epoch(record);
            result_.epochs = epoch;
            result_.training = record.training;
            result_.validation = record.validation;
            if (stop_early(record)) {
                log_info("early stopping: val_loss has not improved for {} epochs",
                         setup_.options.early_stopping_patience);
                break;
            }
        }
    }

    EpochRecord run_epoch(std::int64_t epoch) {
        const auto start = Clock::now();
        const std::size_t count = setup_.training.count();
        const std::vector<std::size_t> order = epoch_order(setup_.options, count, epoch);
        if (setup_.options.log_order)
            write("writing metrics", {order_event(epoch, {order.begin(), order.end()})});
        EpochRecord record;
        double loss_sum = 0;
        std::int64_t correct = 0;
        for (std::size_t first = 0; first < count; first += batch_size()) {
            record.learning_rate = optimizer_.learning_rate();
            const StepResult step =
                run_step(std::span(order).subspan(first, std::min(batch_size(), count - first)));
            loss_sum += step.loss_sum;
            correct += step.correct;
            progress_.step(epoch, static_cast<std::int64_t>(first / batch_size()) + 1,
                           step.loss_sum / static_cast<double>(step.samples));
        }
        record.seconds = seconds_since(start);
        record.epoch = epoch;
        record.epochs = setup_.options.epochs;
        record.step = result_.steps;
        const auto samples = static_cast<double>(count);
        record.training.loss = loss_sum / samples;
        if (setup_.loss.has_labels())
            record.training.accuracy = static_cast<double>(correct) / samples;
        record.samples_per_second = record.seconds > 0 ? samples / record.seconds : 0.0;
        if (setup_.validation.count() > 0) {
            watchdog_.mark(format("epoch {}: validating", epoch));
            const Evaluation evaluation =
                evaluate_samples(setup_.model, setup_.loss, setup_.validation, workers_,
                                 format("validation of epoch {}", epoch));
            record.validation = Score{evaluation.loss, evaluation.accuracy};
        }
        record.weights_sha256 = agreed_hash(epoch);
        return record;
    }

    StepResult run_step(std::span<const std::size_t> ids) {
        const std::int64_t number = result_.steps + 1;
        const std::string what = format("step {}", number);
        watchdog_.mark(what);
        const bool spoil = inject_fault(comm_, format("step:{}", number));
        StepResult step = learn_batch(setup_.model, setup_.loss, setup_.training, ids, workers_,
                                      what, false, spoil);
        clip_gradient(step.gradient, setup_.options.clip_norm);
        optimizer_.update(parameters_, step.gradient, trainable_);
        check_parameters(what);
        set_parameters();
        result_.steps = number;
        const std::int64_t every = setup_.options.log_every_steps;
        if (every > 0 && number % every == 0)
            write("writing metrics",
                  {step_event(number, step.loss_sum / static_cast<double>(step.samples))});
        return step;
    }

    /// All ranks hold the same parameters, so all throw (an angle that is not finite) or none.
    void set_parameters() {
        try {
            setup_.model.set_parameters(parameters_);
        } catch (const Error& error) {
            throw error.as_everywhere();
        }
    }

    /// Likewise.
    void check_parameters(const std::string& what) const {
        constexpr double kLargest = std::numeric_limits<float>::max();
        for (double p : parameters_)
            if (!(std::abs(p) <= kLargest))
                throw Error(Kind::numeric,
                            format("{}: a weight has become {}: training diverges; a smaller "
                                   "learning rate or train.clip_norm may help",
                                   what, p))
                    .as_everywhere();
    }

    /// The hash of the parameters, which must be the same on all ranks.
    std::string agreed_hash(std::int64_t epoch) {
        const std::string own = sha256(parameters_);
        const std::vector<std::string> all = comm_.all_gather(own);
        for (std::size_t rank = 0; rank < all.size(); ++rank)
            if (all[rank] != all.front())
                throw Error(Kind::bug, format("epoch {}: the weights of rank {} differ from those "
                                              "of rank 0",
                                              epoch, rank))
                    .as_everywhere();
        return own;
    }

    bool stop_early(const EpochRecord& record) {
        if (setup_.options.early_stopping_patience <= 0 || !record.validation) return false;
        if (!best_ || record.validation->loss < *best_) {
            best_ = record.validation->loss;
            without_improvement_ = 0;
            return false;
        }
        return ++without_improvement_ >= setup_.options.early_stopping_patience;
    }

    void finish() {
        watchdog_.mark("writing the weights");
        on_root(comm_, "writing the weights", [&] {
            save_weights(setup_.folder.weights(), setup_.model, parameters_, setup_.weights_info);
        });
        result_.files.push_back(setup_.folder.weights());
        write("ending the run", {end_event("finished", result_.epochs, "weights.h5", 0)});
    }

    const TrainSetup& setup_;
    Comm& comm_;
    Workers workers_;
    std::vector<double> parameters_;
    std::vector<bool> trainable_;
    Optimizer optimizer_;
    Watchdog watchdog_;
    Progress progress_;
    std::optional<AppendFile> metrics_; // on rank 0
    std::optional<double> best_;        // lowest val_loss so far
    std::int64_t without_improvement_ = 0;
    TrainResult result_;
};

} // namespace

TrainResult train(const TrainSetup& setup, const Workers& workers) { return Run(setup, workers)(); }

} // namespace wavetrain
