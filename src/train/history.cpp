/// The metrics of a run on their way into metrics.jsonl.
#include "history.hpp"

#include "wavetrain/base/error.hpp"
#include "wavetrain/base/log.hpp"

#include <utility>

namespace wavetrain {
namespace {

/// The first lines of a text, whole ones only, and how many they are.
std::pair<std::string, std::int64_t> first_lines(const std::string& text, std::int64_t wanted) {
    std::size_t end = 0;
    std::int64_t lines = 0;
    while (lines < wanted) {
        const std::size_t next = text.find('\n', end);
        if (next == std::string::npos) break;
        end = next + 1;
        ++lines;
    }
    return {text.substr(0, end), lines};
}

/// Replaces the file by the first records of the stream; returns how many there were.
std::int64_t take_over(const std::string& path, const std::string& source, std::int64_t records) {
    const auto [text, found] = first_lines(exists(source) ? read_text(source) : "", records);
    if (found < records)
        log_warning("'{}' has {} of the {} records up to the checkpoint; the others are lost",
                    source, found, records);
    replace_text(path, text);
    return found;
}

} // namespace

MetricsHistory::MetricsHistory(const std::string& path) : file_(path) {}

MetricsHistory::MetricsHistory(const std::string& path, const std::string& source,
                               std::int64_t records, std::vector<std::string> pending)
    : records_(take_over(path, source, records)), pending_(std::move(pending)), file_(path) {}

void MetricsHistory::append(std::string record) {
    pending_.push_back(std::move(record));
    try {
        write_pending();
        warned_ = false;
    } catch (const Error& error) {
        if (!std::exchange(warned_, true))
            log_warning("{}; training goes on, and the metrics are written when they can be",
                        error.what());
    }
}

void MetricsHistory::finish() { write_pending(); }

void MetricsHistory::write_pending() {
    while (!pending_.empty()) {
        file_.append(pending_.front());
        pending_.erase(pending_.begin());
        ++records_;
    }
}

} // namespace wavetrain
