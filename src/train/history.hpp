/// The metrics of a run on their way into metrics.jsonl; private to the train room.
#pragma once

#include "wavetrain/io/atomic_file.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace wavetrain {

/// The stream metrics.jsonl. What cannot be written (a full disk) is said once, kept in memory and
/// written with the next record.
class MetricsHistory {
public:
    /// Begins a new stream.
    explicit MetricsHistory(const std::string& path);
    /// Goes on with the first `records` records of the stream in `source` (which may be the same
    /// file) and then `pending`; the file is replaced by those.
    MetricsHistory(const std::string& path, const std::string& source, std::int64_t records,
                   std::vector<std::string> pending);

    void append(std::string record);
    /// Writes what is pending; an `environment` error if that fails.
    void finish();
    /// Flushes to disk what has been written; from any thread.
    void flush() { file_.flush(); }

    std::int64_t records() const { return records_; }
    const std::vector<std::string>& pending() const { return pending_; }

private:
    void write_pending();

    std::int64_t records_ = 0; // in the file
    std::vector<std::string> pending_;
    bool warned_ = false;
    AppendFile file_;
};

} // namespace wavetrain
