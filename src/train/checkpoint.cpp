/// Checkpoint files: HDF5 with a line behind it that holds the hash of all bytes before.
#include "wavetrain/train/checkpoint.hpp"

#include "wavetrain/base/error.hpp"
#include "wavetrain/base/hash.hpp"
#include "wavetrain/base/log.hpp"
#include "wavetrain/base/text.hpp"
#include "wavetrain/base/version.hpp"
#include "wavetrain/io/atomic_file.hpp"
#include "wavetrain/io/h5.hpp"

#include <map>

namespace wavetrain {
namespace {

constexpr std::int64_t kFormatVersion = 1;
constexpr std::string_view kSeal = "wavetrain checkpoint sha256 ";
constexpr std::size_t kHashDigits = 64;
constexpr std::size_t kSealBytes = kSeal.size() + kHashDigits + 1;

std::string seal_of(std::string_view bytes) { return format("{}{}\n", kSeal, sha256(bytes)); }

std::string one_text(const H5File& file, const std::string& name) {
    const std::vector<std::string> texts = file.read_texts(name);
    if (texts.size() != 1)
        fail(Kind::usage, "{}: '{}' has {} texts instead of 1", file.path(), name, texts.size());
    return texts.front();
}

std::optional<double> optional_number(const H5File& file, const std::string& name) {
    if (!file.has_attribute("/", name)) return std::nullopt;
    return file.number("/", name);
}

void set_optional(H5File& file, const std::string& name, const std::optional<double>& value) {
    if (value) file.set_number("/", name, *value);
}

void write_score(H5File& file, const std::string& prefix, const std::optional<Score>& score) {
    if (!score) return;
    file.set_number("/", prefix + "loss", score->loss);
    set_optional(file, prefix + "accuracy", score->accuracy);
}

std::optional<Score> read_score(const H5File& file, const std::string& prefix) {
    const auto loss = optional_number(file, prefix + "loss");
    if (!loss) return std::nullopt;
    return Score{*loss, optional_number(file, prefix + "accuracy")};
}

void write_state(H5File& file, const TrainState& state) {
    file.write("parameters", state.parameters, {state.parameters.size()});
    file.write("optimizer/first", state.optimizer.first, {state.optimizer.first.size()});
    file.write("optimizer/second", state.optimizer.second, {state.optimizer.second.size()});
    file.set_integer("optimizer", "steps", state.optimizer.steps);
    file.set_integer("/", "step", state.step);
    file.set_integer("/", "epoch", state.epoch);
    file.set_integer("/", "step_in_epoch", state.step_in_epoch);
    file.set_number("/", "loss_sum", state.loss_sum);
    file.set_integer("/", "correct", state.correct);
    file.set_number("/", "epoch_seconds", state.epoch_seconds);
    file.set_number("/", "learning_rate", state.learning_rate);
    set_optional(file, "best_val_loss", state.best_loss);
    file.set_integer("/", "without_improvement", state.without_improvement);
    write_score(file, "", state.training);
    write_score(file, "val_", state.validation);
}

TrainState read_state(const H5File& file) {
    TrainState state;
    state.parameters = file.read("parameters");
    state.optimizer.first = file.read("optimizer/first");
    state.optimizer.second = file.read("optimizer/second");
    state.optimizer.steps = file.integer("optimizer", "steps");
    state.step = file.integer("/", "step");
    state.epoch = file.integer("/", "epoch");
    state.step_in_epoch = file.integer("/", "step_in_epoch");
    state.loss_sum = file.number("/", "loss_sum");
    state.correct = file.integer("/", "correct");
    state.epoch_seconds = file.number("/", "epoch_seconds");
    state.learning_rate = file.number("/", "learning_rate");
    state.best_loss = optional_number(file, "best_val_loss");
    state.without_improvement = file.integer("/", "without_improvement");
    state.training = read_score(file, "");
    state.validation = read_score(file, "val_");
    const std::size_t parameters = state.parameters.size();
    if (state.step < 0 || state.epoch < 1 || state.step_in_epoch < 0 || state.optimizer.steps < 0 ||
        state.optimizer.first.size() != parameters || state.optimizer.second.size() != parameters)
        fail(Kind::usage, "{}: the checkpoint contradicts itself", file.path());
    return state;
}

/// The steps in names of checkpoints in a folder, ascending, with the paths.
std::map<std::int64_t, std::string> named_checkpoints(const std::string& folder) {
    constexpr std::string_view kBegin = "step-";
    constexpr std::string_view kEnd = ".h5";
    std::map<std::int64_t, std::string> found;
    for (const std::string& name : list_folder(folder)) {
        if (!name.starts_with(kBegin) || !name.ends_with(kEnd)) continue;
        const auto step = parse_integer(std::string_view(name).substr(
            kBegin.size(), name.size() - kBegin.size() - kEnd.size()));
        if (step && checkpoint_name(*step) == name) found[*step] = format("{}/{}", folder, name);
    }
    return found;
}

} // namespace

std::string checkpoint_bytes(const Checkpoint& checkpoint) {
    H5File file = H5File::create();
    file.set_integer("/", "format_version", kFormatVersion);
    write_state(file, checkpoint.state);
    file.write_texts("version", {std::string(version())});
    file.write_texts("config", {checkpoint.config});
    file.write_texts("config_sha256", {sha256(checkpoint.config)});
    file.write_texts("data_sha256", {checkpoint.data_sha256});
    file.write_texts("order_sha256", {checkpoint.order_sha256});
    file.write_texts("simd", {checkpoint.simd});
    file.set_integer("/", "piece_amplitudes", checkpoint.piece_amplitudes);
    file.set_integer("/", "metrics_records", checkpoint.metrics_records);
    file.write_texts("metrics_pending", checkpoint.metrics_pending);
    std::string bytes = file.image();
    bytes += seal_of(bytes);
    return bytes;
}

Checkpoint parse_checkpoint(std::string_view bytes, const std::string& path) {
    const std::size_t body = bytes.size() > kSealBytes ? bytes.size() - kSealBytes : 0;
    if (body == 0 || bytes.substr(body, kSeal.size()) != kSeal)
        fail(Kind::environment, "'{}' is no checkpoint, or it has been cut", path);
    // Before the library sees them: a damaged HDF5 file can lead it astray.
    const std::string_view image = bytes.substr(0, body);
    if (bytes.substr(body) != seal_of(image))
        fail(Kind::environment, "the checkpoint '{}' is damaged: its hash does not fit", path);
    const H5File file = H5File::open_image(path, image);
    const std::int64_t format_version = file.integer("/", "format_version");
    if (format_version != kFormatVersion)
        fail(Kind::usage, "{}: checkpoint format {}, but this program reads format {}", path,
             format_version, kFormatVersion);
    Checkpoint checkpoint;
    checkpoint.state = read_state(file);
    checkpoint.config = one_text(file, "config");
    checkpoint.data_sha256 = one_text(file, "data_sha256");
    checkpoint.order_sha256 = one_text(file, "order_sha256");
    checkpoint.simd = one_text(file, "simd");
    checkpoint.piece_amplitudes = file.integer("/", "piece_amplitudes");
    checkpoint.metrics_records = file.integer("/", "metrics_records");
    checkpoint.metrics_pending = file.read_texts("metrics_pending");
    return checkpoint;
}

std::string read_checkpoint(const std::string& path) {
    const bool readable = !exists(path) || is_regular_file(path); // what is missing has its message
    if (!readable || !read_end(path, kSealBytes).starts_with(kSeal))
        fail(Kind::environment, "'{}' is no checkpoint, or it has been cut", path);
    return read_text(path);
}

std::optional<CheckpointFile> newest_checkpoint(const std::string& folder) {
    std::optional<CheckpointFile> newest;
    std::int64_t most_steps = -1;
    if (!is_folder(folder)) {
        if (!exists(folder) && is_link(folder))
            fail(Kind::environment, "'{}' is a link that leads nowhere: is its disk there?",
                 folder);
        return newest;
    }
    for (const std::string& name : list_folder(folder)) {
        const std::string path = format("{}/{}", folder, name);
        if (name.ends_with(".tmp")) continue;
        try {
            if (is_folder(path)) continue;
            std::string bytes = read_checkpoint(path);
            const std::int64_t step = parse_checkpoint(bytes, path).state.step;
            if (step <= most_steps) continue;
            most_steps = step;
            newest = CheckpointFile{path, std::move(bytes)};
        } catch (const std::exception& caught) {
            log_warning("{}; it is passed over", as_error(caught).what());
        }
    }
    return newest;
}

std::string checkpoint_name(std::int64_t step) { return format("step-{:010}.h5", step); }

void remove_checkpoints_from(const std::string& folder, std::int64_t first) {
    if (!is_folder(folder)) return;
    for (const auto& [step, path] : named_checkpoints(folder))
        if (step >= first) remove_path(path);
}

void remove_checkpoints_after(const std::string& folder, std::int64_t step,
                              const std::string& origin) {
    if (!is_folder(folder)) return;
    const std::string right = format("{}/{}", folder, checkpoint_name(step));
    for (const auto& [named, path] : named_checkpoints(folder)) {
        if (named <= step) continue;
        if (is_same_file(path, origin) && !is_same_file(right, origin))
            rename_file(path, right);
        else
            remove_path(path);
    }
}

void keep_latest_checkpoints(const std::string& folder, std::int64_t keep) {
    const std::map<std::int64_t, std::string> found = named_checkpoints(folder);
    auto surplus = static_cast<std::int64_t>(found.size()) - keep;
    for (auto next = found.begin(); surplus > 0; ++next, --surplus) remove_path(next->second);
}

} // namespace wavetrain
