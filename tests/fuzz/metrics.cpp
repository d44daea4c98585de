/// Any bytes as the metrics.jsonl of a run that is resumed: its first records are kept as they are,
/// what follows is whole lines of ours; and any text as one record of JSON.
#include "fuzz.hpp"

#include "../../src/train/history.hpp"

#include "wavetrain/base/json.hpp"
#include "wavetrain/base/log.hpp"

#include <algorithm>

using namespace wavetrain;

namespace {

/// A path for the rewritten stream: replaced by a rename, so that it cannot be a file in memory.
std::string scratch() { return "/dev/shm/wavetrain-fuzz-" + std::to_string(::getpid()) + ".jsonl"; }

/// The first `wanted` whole lines, found by the plainest way.
std::string first_lines(std::string_view text, std::int64_t wanted) {
    std::string kept;
    std::string line;
    for (const char c : text) {
        line += c;
        if (c != '\n') continue;
        if (wanted-- <= 0) break;
        kept += line;
        line.clear();
    }
    return kept;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    set_log(0, 1, Verbosity::quiet);
    if (size == 0) return 0;
    const std::int64_t records = data[0] % 8;
    const std::string text(fuzz::text_of(data + 1, size - 1));
    const fuzz::MemoryFile source(text);
    const std::string path = scratch();
    {
        MetricsHistory history(path, source.path(), records, {"{\"pending\": 1}"});
        fuzz::require(history.records() <= records);
        history.append("{\"event\": \"step\"}");
        history.finish();
    }
    const std::string expected =
        first_lines(text, records) + "{\"pending\": 1}\n{\"event\": \"step\"}\n";
    fuzz::require(read_text(path) == expected);
    fuzz::may_refuse([&] {
        const Json json = Json::parse(text, "metrics.jsonl");
        fuzz::require(Json::parse(json.dump()).dump() == json.dump());
    });
    return 0;
}
