/// The log: the one place for spdlog.
#include "wavetrain/base/log.hpp"

#include <memory>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace wavetrain {
namespace {

struct Speaker {
    int rank = 0;
    std::string prefix;
    std::shared_ptr<spdlog::logger> logger;

    Speaker() {
        logger = std::make_shared<spdlog::logger>(
            "wavetrain", std::make_shared<spdlog::sinks::stderr_sink_mt>());
        logger->set_pattern("%v");
        logger->flush_on(spdlog::level::trace);
        logger->set_level(spdlog::level::info);
    }
};

Speaker& speaker() {
    static Speaker instance;
    return instance;
}

} // namespace

void set_log(int rank, int ranks, Verbosity verbosity) {
    Speaker& s = speaker();
    s.rank = rank;
    s.prefix = ranks > 1 ? format("[rank {}] ", rank) : "";
    s.logger->set_level(verbosity == Verbosity::quiet     ? spdlog::level::err
                        : verbosity == Verbosity::verbose ? spdlog::level::debug
                                                          : spdlog::level::info);
}

void log_info_text(const std::string& text) {
    if (speaker().rank == 0) speaker().logger->info("{}", text);
}

void log_debug_text(const std::string& text) {
    if (speaker().rank == 0) speaker().logger->debug("{}", text);
}

void log_warning_text(const std::string& text) {
    speaker().logger->warn("{}warning: {}", speaker().prefix, text);
}

void log_error_text(const std::string& text) {
    speaker().logger->error("{}error: {}", speaker().prefix, text);
}

void log_raw_line(const std::string& text) { speaker().logger->critical("{}", text); }

} // namespace wavetrain
