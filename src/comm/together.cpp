/// One verdict for all ranks.
#include "wavetrain/comm/together.hpp"

#include "wavetrain/base/error.hpp"
#include "wavetrain/base/json.hpp"

#include <algorithm>

namespace wavetrain {
namespace {

/// The message without the place, which Error puts in front by itself.
std::string bare_message(const Error& error) {
    return std::string(error.what()).substr(place_prefix(error.place()).size());
}

std::string packed(const Error& error) {
    return Json::object()
        .set("kind", static_cast<int>(error.kind()))
        .set("message", bare_message(error))
        .set("file", error.place().file)
        .set("line", error.place().line)
        .set("column", error.place().column)
        .dump();
}

/// What this rank has to say: nothing if its body ended well.
std::string verdict_of(const std::function<void()>& body) {
    try {
        body();
    } catch (const std::exception& error) {
        return packed(as_error(error));
    } catch (...) {
        return packed(Error(Kind::bug, "an exception of unknown type"));
    }
    return {};
}

/// Throws the first verdict that is an error, on every rank; returns if there is none.
void settle(const std::vector<std::string>& verdicts, std::string_view what) {
    const auto first = std::find_if(verdicts.begin(), verdicts.end(),
                                    [](const std::string& verdict) { return !verdict.empty(); });
    if (first == verdicts.end()) return;

    const Json error = Json::parse(*first);
    const bool everywhere = std::all_of(verdicts.begin(), verdicts.end(),
                                        [&](const auto& verdict) { return verdict == *first; });
    const int rank = everywhere ? -1 : static_cast<int>(first - verdicts.begin());
    const std::string message = error.at("message").text();
    throw Error(static_cast<Kind>(error.at("kind").integer()),
                everywhere ? message : format("{} (rank {}, while {})", message, rank, what),
                {error.at("file").text(), static_cast<int>(error.at("line").integer()),
                 static_cast<int>(error.at("column").integer())},
                rank)
        .as_everywhere();
}

// The first byte of what together_gather() sends.
constexpr char kResult = '+';
constexpr char kFailure = '-';

} // namespace

void together_run(Comm& comm, std::string_view what, const std::function<void()>& body) {
    settle(comm.all_gather(verdict_of(body)), what);
}

std::vector<std::string> together_gather(Comm& comm, std::string_view what,
                                         const std::function<std::string()>& body) {
    std::string own;
    const std::string verdict = verdict_of([&] { own = kResult + body(); });
    if (!verdict.empty()) own = kFailure + verdict;
    std::vector<std::string> all;
    if (comm.size() == 1)
        all.push_back(std::move(own));
    else
        all = comm.all_gather(own);
    if (std::any_of(all.begin(), all.end(), [](const auto& one) { return one[0] == kFailure; })) {
        std::vector<std::string> verdicts;
        for (const std::string& one : all)
            verdicts.push_back(one[0] == kFailure ? one.substr(1) : std::string());
        settle(verdicts, what);
    }
    for (std::string& one : all) one.erase(0, 1);
    return all;
}

void require_same(Comm& comm, std::string_view what, std::string_view bytes) {
    const std::vector<std::string> all = comm.all_gather(bytes);
    for (std::size_t rank = 0; rank < all.size(); ++rank)
        if (all[rank] != all.front())
            throw Error(
                Kind::environment,
                format("{}: rank {} has read something else than rank 0: all ranks need the "
                       "same files and options",
                       what, rank),
                {}, static_cast<int>(rank))
                .as_everywhere();
}

} // namespace wavetrain
