/// Batches.
#include "wavetrain/train/batch.hpp"

#include "wavetrain/base/error.hpp"
#include "wavetrain/base/random.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace wavetrain {
namespace {

// The counters beside the sums.
constexpr std::size_t kCorrect = 0;
constexpr std::size_t kSamples = 1;
constexpr std::size_t kStop = 2;
constexpr std::size_t kCheckpoint = 3;
constexpr std::size_t kUserSignal = 4;
constexpr std::size_t kCounters = 5;

/// One accumulator per thread: merged in any order they give the same sums.
std::vector<ExactSums> accumulators(const Workers& workers, std::size_t sums) {
    return std::vector<ExactSums>(static_cast<std::size_t>(std::max(workers.threads, 1)),
                                  ExactSums(sums, kCounters));
}

/// Merges threads and ranks. A `numeric` error naming the ranks if any term was not finite.
ExactSums reduce(std::vector<ExactSums> parts, const Workers& workers, const std::string& what) {
    ExactSums total = std::move(parts.front());
    for (std::size_t i = 1; i < parts.size(); ++i) total.merge(parts[i]);
    const bool own_bad = total.bad();
    if (workers.await) workers.await();
    workers.comm.sum(total.raw());
    if (!total.bad()) return total;
    std::string ranks;
    const std::vector<std::string> flags = workers.comm.all_gather(own_bad ? "1" : "0");
    for (std::size_t r = 0; r < flags.size(); ++r)
        if (flags[r] == "1") ranks += format("{}{}", ranks.empty() ? "" : ", ", r);
    throw Error(
        Kind::numeric,
        format("{}: a loss or gradient is not a finite number (rank {}); a smaller learning "
               "rate, train.clip_norm or other initial weights may help",
               what, ranks))
        .as_everywhere();
}

std::vector<std::size_t> find_columns(const Dataset& data, const std::vector<std::string>& names,
                                      const std::string& where) {
    std::vector<std::size_t> found;
    for (const std::string& name : names) {
        const auto column = std::find(data.columns.begin(), data.columns.end(), name);
        if (column == data.columns.end())
            fail(Kind::usage, "{}: the column '{}', which the model needs, is missing", where,
                 name);
        found.push_back(static_cast<std::size_t>(column - data.columns.begin()));
    }
    return found;
}

void count(ExactSums& sums, const Tally& tally) {
    sums.count(kCorrect, tally.correct);
    sums.count(kSamples, tally.samples);
}

} // namespace

Samples take_samples(const Dataset& data, const std::vector<std::string>& names, std::size_t first,
                     std::size_t count, const std::string& where) {
    const std::vector<std::size_t> columns = find_columns(data, names, where);
    Samples samples{Table(count, columns.size()), Table(count, data.label_width)};
    for (std::size_t r = 0; r < count; ++r) {
        const auto row = data.row(first + r);
        const auto target = samples.features.row(r);
        for (std::size_t c = 0; c < columns.size(); ++c) target[c] = row[columns[c]];
        const auto label = data.label(first + r);
        std::copy(label.begin(), label.end(), samples.labels.row(r).begin());
    }
    return samples;
}

Table take_rows(const Table& table, std::span<const std::size_t> ids) {
    Table rows(ids.size(), table.width);
    for (std::size_t r = 0; r < ids.size(); ++r) {
        const auto source = table.row(ids[r]);
        std::copy(source.begin(), source.end(), rows.row(r).begin());
    }
    return rows;
}

StepResult learn_batch(const Model& model, const Loss& loss, const Samples& samples,
                       std::span<const std::size_t> ids, const Workers& workers,
                       const std::string& what, const StepFlags& flags) {
    promise(!ids.empty(), "a step without samples has no mean");
    const std::size_t parameters = model.parameters();
    auto parts = accumulators(workers, parameters + 1);
    // A step is done whole: only validation may stop in the middle.
    Workers own = workers;
    own.stop_requested = nullptr;
    count(parts.front(), learn(model, loss, take_rows(samples.features, ids),
                               take_rows(samples.labels, ids), own, what, parts));
    if (flags.stop) parts.front().count(kStop, 1);
    if (flags.checkpoint) parts.front().count(kCheckpoint, 1);
    if (flags.user_signal) parts.front().count(kUserSignal, 1);
    if (flags.spoil) parts.front().add(parameters, std::numeric_limits<double>::quiet_NaN());
    const ExactSums total = reduce(std::move(parts), workers, what);
    StepResult result;
    result.samples = total.counter(kSamples);
    promise(result.samples == static_cast<std::int64_t>(ids.size()),
            "a sample was lost or doubled");
    result.gradient = total.values(0, parameters);
    for (double& g : result.gradient) g /= static_cast<double>(result.samples);
    result.loss_sum = total.value(parameters);
    result.correct = total.counter(kCorrect);
    result.stop = total.counter(kStop) > 0;
    result.checkpoint = total.counter(kCheckpoint) > 0;
    result.user_signal = total.counter(kUserSignal) > 0;
    return result;
}

Evaluation evaluate_samples(const Model& model, const Loss& loss, const Samples& samples,
                            const Workers& workers, const std::string& what) {
    Pass pass(model, samples.features, workers, what);
    const Table& outputs = pass.forward();
    std::vector<ExactSums> parts(1, ExactSums(1, kCounters));
    count(parts.front(), add_losses(loss, outputs, samples.labels, workers, parts.front(), 0));
    if (workers.asked_to_stop()) parts.front().count(kStop, 1);
    const ExactSums total = reduce(std::move(parts), workers, what);
    Evaluation result;
    result.samples = samples.count();
    result.stopped = total.counter(kStop) > 0;
    if (result.samples == 0 || result.stopped) return result;
    const auto count = static_cast<double>(result.samples);
    result.loss = total.value(0) / count;
    if (loss.has_labels()) result.accuracy = static_cast<double>(total.counter(kCorrect)) / count;
    return result;
}

Table predict_samples(const Model& model, const Samples& samples, const Workers& workers) {
    return Pass(model, samples.features, workers, "the prediction").forward();
}

} // namespace wavetrain
