/// The events of metrics.jsonl.
#include "wavetrain/telemetry/metrics.hpp"

namespace wavetrain {

Json start_event(const StartRecord& record) {
    return Json::object()
        .set("event", "start")
        .set("run", record.run)
        .set("version", record.version)
        .set("ranks", record.ranks)
        .set("threads", record.threads)
        .set("seed", record.seed)
        .set("parameters", static_cast<std::uint64_t>(record.parameters));
}

Json step_event(std::int64_t step, double loss) {
    return Json::object().set("event", "step").set("step", step).set("loss", loss);
}

Json order_event(std::int64_t epoch, const std::vector<std::int64_t>& ids) {
    return Json::object().set("event", "order").set("epoch", epoch).set("ids", ids);
}

Json epoch_event(const EpochRecord& record) {
    Json event = Json::object();
    event.set("event", "epoch").set("epoch", record.epoch).set("step", record.step);
    event.set("loss", record.training.loss);
    if (record.training.accuracy) event.set("accuracy", *record.training.accuracy);
    if (record.validation) {
        event.set("val_loss", record.validation->loss);
        if (record.validation->accuracy) event.set("val_accuracy", *record.validation->accuracy);
    }
    event.set("learning_rate", record.learning_rate);
    event.set("seconds", record.seconds);
    event.set("samples_per_second", record.samples_per_second);
    event.set("weights_sha256", record.weights_sha256);
    return event;
}

Json resume_event(std::int64_t step, const std::string& checkpoint, int ranks, int threads) {
    return Json::object()
        .set("event", "resume")
        .set("step", step)
        .set("checkpoint", checkpoint)
        .set("ranks", ranks)
        .set("threads", threads);
}

Json end_event(const std::string& status, std::int64_t epochs, const std::string& weights,
               int exit_code) {
    Json event = Json::object();
    event.set("event", "end").set("status", status).set("epochs", epochs);
    if (!weights.empty()) event.set("weights", weights);
    return event.set("exit_code", exit_code);
}

} // namespace wavetrain
