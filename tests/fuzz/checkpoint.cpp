/// Checkpoints: any bytes (the hash at their end refuses them before the library sees them), and
/// whole files that were edited and sealed again, as another program might write them.
#include "fuzz.hpp"
#include "h5_edit.hpp"

#include "wavetrain/base/hash.hpp"
#include "wavetrain/train/checkpoint.hpp"

using namespace wavetrain;

namespace {

constexpr std::string_view kSeal = "wavetrain checkpoint sha256 ";
constexpr std::size_t kSealBytes = kSeal.size() + 64 + 1;

std::string whole() {
    Checkpoint checkpoint;
    checkpoint.state.parameters = {0.5, -0.25, 1.0};
    checkpoint.state.optimizer.first = checkpoint.state.optimizer.second = {0.0, 0.1, 0.2};
    checkpoint.state.step = 7;
    checkpoint.state.training = Score{0.5, 0.75};
    checkpoint.config = "[train]\nepochs = 3\n";
    checkpoint.data_sha256 = checkpoint.order_sha256 = sha256(std::string_view("data"));
    checkpoint.simd = "scalar";
    checkpoint.metrics_records = 3;
    checkpoint.metrics_pending = {"{\"event\": \"step\"}"};
    return checkpoint_bytes(checkpoint);
}

const fuzz::Vocabulary kVocabulary = {
    {"/", "parameters", "optimizer", "version", "config", "config_sha256", "data_sha256",
     "order_sha256", "simd", "metrics_pending", "optimizer/first", "optimizer/second"},
    {"format_version", "step", "epoch", "step_in_epoch", "loss_sum", "correct", "epoch_seconds",
     "learning_rate", "best_val_loss", "without_improvement", "steps", "piece_amplitudes",
     "metrics_records", "loss", "accuracy", "val_loss", "val_accuracy"}};

/// The file with a few of its bytes changed, or cut, or longer.
std::string damaged(std::string bytes, const std::uint8_t* data, std::size_t size) {
    for (; size >= 4; data += 4, size -= 4) {
        const std::size_t at = (data[0] | data[1] << 8) % (bytes.size() + 1);
        switch (data[2] % 3) {
        case 0:
            if (at < bytes.size()) bytes[at] = static_cast<char>(data[3]);
            break;
        case 1: bytes.resize(at); break;
        case 2: bytes.insert(at, data[3], 'x'); break;
        }
        if (bytes.empty()) return bytes;
    }
    return bytes;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const std::string good = whole();
    if (size == 0) return 0;
    const std::uint8_t way = data[0] % 3;
    ++data;
    --size;
    std::string bytes(fuzz::text_of(data, size));
    if (way == 1) bytes = damaged(good, data, size);
    if (way == 2) {
        bytes = fuzz::edited(good.substr(0, good.size() - kSealBytes), kVocabulary, data, size);
        bytes += std::string(kSeal) + sha256(std::string_view(bytes)) + "\n";
    }
    fuzz::may_refuse([&] {
        const Checkpoint checkpoint = parse_checkpoint(bytes, "fuzz.h5");
        fuzz::require(way == 2 || bytes == good);
        fuzz::require(checkpoint.state.step >= 0 && checkpoint.state.epoch >= 1);
        // What was read can be written, and is read again.
        parse_checkpoint(checkpoint_bytes(checkpoint), "again.h5");
    });
    return 0;
}
