/// Faults on purpose, from the environment.
#include "wavetrain/comm/fault.hpp"

#include "wavetrain/base/error.hpp"
#include "wavetrain/base/text.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <map>
#include <new>
#include <optional>
#include <thread>

namespace wavetrain {
namespace {

constexpr std::array kKinds = {"throw", "bad_alloc", "missing", "hang", "kill", "nan", "slow"};
constexpr std::chrono::milliseconds kSlow{50};

struct Fault {
    long long rank = 0;
    std::vector<std::string> places;
    std::string kind;
};

[[noreturn]] void malformed(std::string_view text, std::string_view why) {
    fail(Kind::usage,
         "WAVETRAIN_FAULT={}: {}; write it as rank=2,at=data|step:3,kind=throw, with a kind of {}",
         text, why, fmt::join(kKinds, ", "));
}

bool is_place(const std::string& place) {
    if (place == "data" || place == "weights") return true;
    const std::size_t colon = std::min(place.find(':'), place.size());
    const std::string_view kind = std::string_view(place).substr(0, colon);
    if (kind != "step" && kind != "validation" && kind != "checkpoint") return false;
    const auto number =
        colon < place.size() ? parse_integer(place.substr(colon + 1)) : std::optional<long long>();
    return number && *number >= 1;
}

Fault parse_fault(std::string_view text) {
    std::map<std::string, std::string> fields;
    for (const std::string& part : split(text, ',')) {
        const std::size_t equals = part.find('=');
        if (equals == std::string::npos) malformed(text, format("'{}' has no '='", part));
        const std::string key(trim(std::string_view(part).substr(0, equals)));
        if (key != "rank" && key != "at" && key != "kind")
            malformed(text, format("unknown key '{}'", key));
        const std::string value(trim(std::string_view(part).substr(equals + 1)));
        if (!fields.emplace(key, value).second) malformed(text, format("'{}' twice", key));
    }
    for (const char* key : {"rank", "at", "kind"})
        if (!fields.contains(key)) malformed(text, format("'{}' is missing", key));
    const auto rank = parse_integer(fields["rank"]);
    if (!rank || *rank < 0) malformed(text, format("'{}' is no rank", fields["rank"]));
    Fault fault{*rank, split(fields["at"], '|'), fields["kind"]};
    if (std::find(fault.places.begin(), fault.places.end(), "") != fault.places.end())
        malformed(text, "'at' has an empty place");
    for (const std::string& place : fault.places)
        if (!is_place(place))
            malformed(text, format("'{}' is no place (data, step:N, validation:EPOCH, "
                                   "checkpoint:STEP, weights)",
                                   place));
    if (std::find(kKinds.begin(), kKinds.end(), fault.kind) == kKinds.end())
        malformed(text, format("unknown kind '{}'", fault.kind));
    return fault;
}

/// A fault strikes at its place; a rank that is slow at a step is so at all later ones.
bool strikes_at(const Fault& fault, const std::string& given, std::string_view place) {
    constexpr std::string_view kStep = "step:";
    if (given == place) return true;
    if (fault.kind != "slow" || !given.starts_with(kStep) || !place.starts_with(kStep))
        return false;
    return parse_integer(given.substr(kStep.size())) <= parse_integer(place.substr(kStep.size()));
}

/// Does the deed; returns only for a slow rank and for the kind that its caller carries out.
bool carry_out(const Fault& fault, int rank, std::string_view place) {
    const std::string deed = format("injected on rank {} at {}", rank, place);
    if (fault.kind == "throw") fail(Kind::bug, "fault {}", deed);
    if (fault.kind == "bad_alloc") throw std::bad_alloc();
    if (fault.kind == "missing")
        fail(Kind::environment, "cannot open a file: No such file or directory (fault {})", deed);
    if (fault.kind == "kill") std::raise(SIGKILL);
    if (fault.kind == "slow") std::this_thread::sleep_for(kSlow);
    while (fault.kind == "hang") std::this_thread::sleep_for(std::chrono::hours(1));
    return fault.kind == "nan";
}

} // namespace

bool inject_fault(const Comm& comm, std::string_view place) {
    const char* text = std::getenv("WAVETRAIN_FAULT");
    if (text == nullptr || *text == '\0') return false;
    const Fault fault = parse_fault(text);
    const bool here = fault.rank == comm.rank() &&
                      std::any_of(fault.places.begin(), fault.places.end(), [&](const auto& given) {
                          return strikes_at(fault, given, place);
                      });
    return here && carry_out(fault, comm.rank(), place);
}

} // namespace wavetrain
