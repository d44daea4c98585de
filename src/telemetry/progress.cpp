/// The progress line.
#include "wavetrain/telemetry/metrics.hpp"

#include "wavetrain/base/format.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <unistd.h>

namespace wavetrain {
namespace {

constexpr int kBarWidth = 20;
constexpr std::chrono::milliseconds kRedrawEvery{100};

std::string duration_text(double seconds) {
    const auto whole = static_cast<long long>(std::llround(seconds));
    if (whole < 60) return format("{}s", whole);
    if (whole < 3600) return format("{}m{:02}s", whole / 60, whole % 60);
    return format("{}h{:02}m", whole / 3600, whole / 60 % 60);
}

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::string bar(double share) {
    const int full = std::clamp(static_cast<int>(share * kBarWidth), 0, kBarWidth);
    std::string text = "[";
    for (int i = 0; i < kBarWidth; ++i) text += i < full ? '=' : i == full ? '>' : '.';
    return text + "]";
}

} // namespace

Progress::Progress(bool shown, std::int64_t epochs, std::int64_t steps_per_epoch,
                   double epochs_before)
    : shown_(shown), terminal_(isatty(STDERR_FILENO) == 1), epochs_(epochs),
      steps_per_epoch_(steps_per_epoch), epochs_before_(epochs_before),
      start_(std::chrono::steady_clock::now()), last_drawn_(start_) {}

std::string Progress::remaining(double done_epochs) const {
    const double done_here = done_epochs - epochs_before_;
    if (done_here <= 0.0) return "?";
    const double left = static_cast<double>(epochs_) - done_epochs;
    return duration_text(std::max(0.0, seconds_since(start_) / done_here * left));
}

void Progress::step(std::int64_t epoch, std::int64_t step_in_epoch, double loss) {
    if (!shown_ || !terminal_) return;
    const auto now = std::chrono::steady_clock::now();
    if (now - last_drawn_ < kRedrawEvery) return;
    last_drawn_ = now;
    const double share = static_cast<double>(step_in_epoch) / static_cast<double>(steps_per_epoch_);
    const double done = static_cast<double>(epoch - 1) + share;
    draw(format("Epoch {:>{}}/{} {} {}/{} - loss: {:.4f} - ETA {}", epoch,
                format("{}", epochs_).size(), epochs_, bar(share), step_in_epoch, steps_per_epoch_,
                loss, remaining(done)),
         false);
}

void Progress::epoch(const EpochRecord& record) {
    if (!shown_) return;
    std::string line =
        format("Epoch {:>{}}/{} - {:.2f}s - loss: {:.4f}", record.epoch,
               format("{}", epochs_).size(), epochs_, record.seconds, record.training.loss);
    if (record.training.accuracy) line += format(" - accuracy: {:.4f}", *record.training.accuracy);
    if (record.validation) {
        line += format(" - val_loss: {:.4f}", record.validation->loss);
        if (record.validation->accuracy)
            line += format(" - val_accuracy: {:.4f}", *record.validation->accuracy);
    }
    line += format(" - {:.0f} samples/s", record.samples_per_second);
    if (record.epoch < epochs_)
        line += format(" - ETA {}", remaining(static_cast<double>(record.epoch)));
    draw(line, true);
}

void Progress::draw(const std::string& line, bool final_line) {
    if (terminal_)
        std::fprintf(stderr, "\r%s\x1b[K%s", line.c_str(), final_line ? "\n" : "");
    else
        std::fprintf(stderr, "%s\n", line.c_str());
    std::fflush(stderr);
}

} // namespace wavetrain
