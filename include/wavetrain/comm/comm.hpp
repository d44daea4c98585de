/// What ranks say to each other: a handful of verbs, with MPI or threads of one process behind
/// them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace wavetrain {

/// A group of ranks. Every verb but abort() is collective: all ranks call the same verbs in the
/// same order, from the thread that made the Comm. Messages of any size are cut into chunks of at
/// most chunk_elements() elements.
class Comm {
public:
    virtual ~Comm() = default;

    virtual int rank() const = 0;
    virtual int size() const = 0;
    /// Ranks on this rank's host, this one included.
    virtual int node_size() const = 0;
    /// Number of different hosts.
    virtual int hosts() const = 0;

    /// Element-wise sum over all ranks, in place; the same result everywhere. All ranks pass spans
    /// of one length.
    virtual void sum(std::span<std::int64_t> values) = 0;
    /// Gives every rank the bytes of `root`.
    virtual void broadcast(std::string& bytes, int root) = 0;
    /// The bytes of every rank, by rank; lengths may differ.
    virtual std::vector<std::string> all_gather(std::string_view bytes) = 0;
    virtual void barrier() = 0;

    /// Ends the whole job at once with this exit code; any thread of any rank may call it.
    [[noreturn]] virtual void abort(int exit_code) = 0;

    std::size_t chunk_elements() const { return chunk_elements_; }
    /// A test aid: a small limit puts a boundary into small messages.
    void set_chunk_elements(std::size_t elements) { chunk_elements_ = elements; }

private:
    std::size_t chunk_elements_ = std::size_t{1} << 28;
};

/// A world of one rank, without MPI.
class SoloComm final : public Comm {
public:
    int rank() const override { return 0; }
    int size() const override { return 1; }
    int node_size() const override { return 1; }
    int hosts() const override { return 1; }
    void sum(std::span<std::int64_t>) override {}
    void broadcast(std::string&, int) override {}
    std::vector<std::string> all_gather(std::string_view bytes) override {
        return {std::string(bytes)};
    }
    void barrier() override {}
    /// Throws an Error with that exit code: nobody else has to be ended.
    [[noreturn]] void abort(int exit_code) override;
};

} // namespace wavetrain
