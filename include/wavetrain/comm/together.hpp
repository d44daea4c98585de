/// Failing together: what can fail on one rank alone ends with the same verdict on all.
#pragma once

#include "wavetrain/comm/comm.hpp"

#include <functional>
#include <optional>
#include <type_traits>

namespace wavetrain {

/// Collective. Runs `body` on every rank; if it throws on any, every rank throws the same Error:
/// kind, place and message of the first failing rank, which the error names (unless all ranks
/// failed with the same message). `body` contains no collective. `what` completes the sentence
/// "while ..." ("reading the data").
void together_run(Comm& comm, std::string_view what, const std::function<void()>& body);

/// Collective. Like together_run, and returns the body's value.
template <class Body> auto together(Comm& comm, std::string_view what, Body&& body) {
    using Result = std::invoke_result_t<Body>;
    if constexpr (std::is_void_v<Result>) {
        together_run(comm, what, body);
    } else {
        std::optional<Result> result;
        together_run(comm, what, [&] { result.emplace(body()); });
        return std::move(*result);
    }
}

/// Collective. Like together_run; every rank gets the bytes that the bodies returned, by rank. They
/// travel with the verdict: one all_gather, none in a world of one rank.
std::vector<std::string> together_gather(Comm& comm, std::string_view what,
                                         const std::function<std::string()>& body);

/// Collective. An `environment` error on all ranks, naming the first that differs, unless every
/// rank has the same `bytes` of `what` ("the config").
void require_same(Comm& comm, std::string_view what, std::string_view bytes);

/// Collective. Runs `body` on rank 0 only; all ranks learn the verdict.
inline void on_root(Comm& comm, std::string_view what, const std::function<void()>& body) {
    together_run(comm, what, [&] {
        if (comm.rank() == 0) body();
    });
}

} // namespace wavetrain
