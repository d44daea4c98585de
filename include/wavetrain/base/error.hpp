/// The one exception type: its kind is the exit code, its place is where the user has to look.
#pragma once

#include "wavetrain/base/format.hpp"

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace wavetrain {

/// What went wrong, as the exit code of the program.
enum class Kind {
    usage = 2,       ///< config, circuit, names, shapes
    environment = 3, ///< files, memory, disk, network
    numeric = 4,     ///< NaN, divergence
    launch = 5,      ///< ranks do not match what the launcher promised
    peer = 69,       ///< another rank was lost or stalled
    bug = 70,        ///< a broken promise of our own
    stopped = 75,    ///< stopped after a good checkpoint
};

/// The kind's name in JSON: "usage", "environment", ...
std::string_view kind_name(Kind kind);

/// A place in a text file; line and column count from 1, 0 where unknown.
struct Place {
    std::string file;
    int line = 0;
    int column = 0;

    bool operator==(const Place&) const = default;
};

/// "file:line:column: ", "file: " or nothing, whatever is known.
std::string place_prefix(const Place& place);

/// The exception of the whole program. what() begins with the place where there is one.
class Error : public std::runtime_error {
public:
    Error(Kind kind, const std::string& message, Place place = {}, int rank = -1);

    Kind kind() const { return kind_; }
    int exit_code() const { return static_cast<int>(kind_); }
    const Place& place() const { return place_; }
    /// The rank it happened on; -1 where all ranks agree or nothing is known.
    int rank() const { return rank_; }
    /// True if every rank throws this same error at the same place, so that all may end in order.
    bool everywhere() const { return everywhere_; }
    /// The same error, known to be thrown on every rank.
    Error as_everywhere() const;

private:
    Kind kind_;
    Place place_;
    int rank_;
    bool everywhere_ = false;
};

/// Throws an Error with a formatted message.
template <class... Args>
[[noreturn]] void fail(Kind kind, format_string<Args...> text, Args&&... args) {
    throw Error(kind, format(text, std::forward<Args>(args)...));
}

/// Throws an Error that points at a place in a file.
template <class... Args>
[[noreturn]] void fail_at(const Place& place, Kind kind, format_string<Args...> text,
                          Args&&... args) {
    throw Error(kind, format(text, std::forward<Args>(args)...), place);
}

/// Throws a `bug` unless `condition` holds: for promises between rooms that are cheap to check.
inline void promise(bool condition, std::string_view what) {
    if (!condition) throw Error(Kind::bug, std::string(what));
}

/// The exception as an Error, whatever it was: bad_alloc becomes `environment`, the rest `bug`.
Error as_error(const std::exception& error);

} // namespace wavetrain
