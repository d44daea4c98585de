/// Talk on stderr: rank 0 informs, every rank may warn and report errors.
#pragma once

#include "wavetrain/base/format.hpp"

#include <string>
#include <utility>

namespace wavetrain {

enum class Verbosity { quiet, normal, verbose };

/// Sets who speaks: information comes from rank 0 only; with more than one rank, warnings and
/// errors of the others carry their rank.
void set_log(int rank, int ranks, Verbosity verbosity);

/// Writes one line to stderr (rank 0, not when quiet).
void log_info_text(const std::string& text);
/// Writes one line to stderr (rank 0, only when verbose).
void log_debug_text(const std::string& text);
/// Writes "warning: ..." to stderr from any rank.
void log_warning_text(const std::string& text);
/// Writes "error: ..." to stderr from any rank, also when quiet.
void log_error_text(const std::string& text);
/// Writes one bare line to stderr, flushed, from any rank (JSON errors).
void log_raw_line(const std::string& text);

template <class... Args> void log_info(format_string<Args...> text, Args&&... args) {
    log_info_text(format(text, std::forward<Args>(args)...));
}
template <class... Args> void log_debug(format_string<Args...> text, Args&&... args) {
    log_debug_text(format(text, std::forward<Args>(args)...));
}
template <class... Args> void log_warning(format_string<Args...> text, Args&&... args) {
    log_warning_text(format(text, std::forward<Args>(args)...));
}
template <class... Args> void log_error(format_string<Args...> text, Args&&... args) {
    log_error_text(format(text, std::forward<Args>(args)...));
}

} // namespace wavetrain
