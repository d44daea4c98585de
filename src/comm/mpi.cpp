/// MPI: the one place that calls it.

// Only the C functions: the C++ classes of old MPI libraries need another library.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1

#include "wavetrain/comm/mpi.hpp"

#include "chunks.hpp"
#include "wavetrain/base/error.hpp"
#include "wavetrain/base/machine.hpp"
#include "wavetrain/base/text.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <mpi.h>
#include <numeric>
#include <set>
#include <unistd.h>

namespace wavetrain {
namespace {

Kind kind_of(int error_class) {
    switch (error_class) {
    case MPI_ERR_NO_MEM: return Kind::environment;
    case MPI_ERR_ARG:
    case MPI_ERR_BUFFER:
    case MPI_ERR_COMM:
    case MPI_ERR_COUNT:
    case MPI_ERR_OP:
    case MPI_ERR_RANK:
    case MPI_ERR_ROOT:
    case MPI_ERR_TRUNCATE:
    case MPI_ERR_TYPE: return Kind::bug;
    default: return Kind::peer;
    }
}

/// Turns an MPI error code into an Error.
void check(int code, std::string_view call) {
    if (code == MPI_SUCCESS) return;
    std::array<char, MPI_MAX_ERROR_STRING> text{};
    int length = 0;
    int error_class = MPI_ERR_OTHER;
    MPI_Error_string(code, text.data(), &length);
    MPI_Error_class(code, &error_class);
    const Kind kind = kind_of(error_class);
    fail(kind, "{} failed: {}{}", call, trim(text.data()),
         kind == Kind::peer ? "; a rank or the network was lost: resume the job" : "");
}

/// Bytes of every text that travel with its length.
constexpr std::size_t kHeadBytes = 1024;

/// A standard stream that the caller has closed must stay unusable: otherwise a file or a pipe of
/// the MPI library gets its number, and what is logged goes into that.
void occupy_standard_streams() {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (::fcntl(stream, F_GETFD) < 0) {
            // The lowest number that is free is this one.
            [[maybe_unused]] const int opened =
                ::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
        }
}

int as_int(std::size_t number) { return static_cast<int>(number); }

class MpiComm final : public Comm {
public:
    MpiComm() {
        check(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN),
              "MPI_Comm_set_errhandler");
        check(MPI_Comm_rank(MPI_COMM_WORLD, &rank_), "MPI_Comm_rank");
        check(MPI_Comm_size(MPI_COMM_WORLD, &size_), "MPI_Comm_size");
        MPI_Comm node = MPI_COMM_NULL;
        check(
            MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &node),
            "MPI_Comm_split_type");
        check(MPI_Comm_size(node, &node_size_), "MPI_Comm_size");
        check(MPI_Comm_free(&node), "MPI_Comm_free");
        const auto names = all_gather(host_name());
        hosts_ = as_int(std::set<std::string>(names.begin(), names.end()).size());
    }

    int rank() const override { return rank_; }
    int size() const override { return size_; }
    int node_size() const override { return node_size_; }
    int hosts() const override { return hosts_; }

    void sum(std::span<std::int64_t> values) override {
        for_each_chunk(values.size(), chunk_elements(), [&](std::size_t offset, std::size_t count) {
            check(MPI_Allreduce(MPI_IN_PLACE, values.data() + offset, as_int(count), MPI_INT64_T,
                                MPI_SUM, MPI_COMM_WORLD),
                  "MPI_Allreduce");
        });
    }

    void broadcast(std::string& bytes, int root) override {
        promise(root >= 0 && root < size_, "broadcast: no such root");
        std::uint64_t length = bytes.size();
        check(MPI_Bcast(&length, 1, MPI_UINT64_T, root, MPI_COMM_WORLD), "MPI_Bcast");
        bytes.resize(length);
        for_each_chunk(bytes.size(), chunk_elements(), [&](std::size_t offset, std::size_t count) {
            check(MPI_Bcast(bytes.data() + offset, as_int(count), MPI_BYTE, root, MPI_COMM_WORLD),
                  "MPI_Bcast");
        });
    }

    std::vector<std::string> all_gather(std::string_view bytes) override {
        const auto ranks = static_cast<std::size_t>(size_);
        // The lengths come with the beginning of each text: for most that is all there is, and one
        // meeting of the ranks is enough.
        const std::size_t share = std::max<std::size_t>(1, chunk_elements() / ranks);
        const std::size_t head = std::min(kHeadBytes, share);
        const std::size_t slot = sizeof(std::uint64_t) + head;
        const std::uint64_t length = bytes.size();
        std::string mine(slot, '\0');
        std::memcpy(mine.data(), &length, sizeof length);
        bytes.copy(mine.data() + sizeof length, head);
        std::string heads(ranks * slot, '\0');
        check(MPI_Allgather(mine.data(), as_int(slot), MPI_BYTE, heads.data(), as_int(slot),
                            MPI_BYTE, MPI_COMM_WORLD),
              "MPI_Allgather");
        std::vector<std::uint64_t> lengths(ranks);
        std::vector<std::string> all(ranks);
        for (std::size_t i = 0; i < ranks; ++i) {
            std::memcpy(&lengths[i], heads.data() + i * slot, sizeof(std::uint64_t));
            all[i].assign(heads, i * slot + sizeof(std::uint64_t),
                          std::min<std::size_t>(head, lengths[i]));
        }
        // A round brings the next piece of everyone, together no more than a chunk (positions in
        // it are ints too); whose text has ended takes part with nothing.
        const std::uint64_t longest = *std::max_element(lengths.begin(), lengths.end());
        const std::uint64_t left = longest > head ? longest - head : 0;
        for_each_chunk(left, share, [&](std::size_t offset, std::size_t) {
            gather_round(bytes, lengths, head + offset, share, all);
        });
        return all;
    }

    void barrier() override { check(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier"); }

    [[noreturn]] void abort(int exit_code) override {
        std::fflush(nullptr);
        // Alone there is nobody to end, and MPI_Abort would talk over our own message.
        if (size_ > 1) MPI_Abort(MPI_COMM_WORLD, exit_code);
        std::_Exit(exit_code);
    }

private:
    static void gather_round(std::string_view mine, const std::vector<std::uint64_t>& lengths,
                             std::size_t offset, std::size_t share, std::vector<std::string>& all) {
        const auto piece = [&](std::uint64_t length) {
            return length > offset ? std::min<std::size_t>(share, length - offset) : 0;
        };
        std::vector<int> counts(lengths.size());
        std::vector<int> starts(lengths.size());
        for (std::size_t i = 0; i < lengths.size(); ++i) counts[i] = as_int(piece(lengths[i]));
        std::exclusive_scan(counts.begin(), counts.end(), starts.begin(), 0);
        std::string round(static_cast<std::size_t>(starts.back() + counts.back()), '\0');
        check(MPI_Allgatherv(mine.data() + std::min(offset, mine.size()),
                             as_int(piece(mine.size())), MPI_BYTE, round.data(), counts.data(),
                             starts.data(), MPI_BYTE, MPI_COMM_WORLD),
              "MPI_Allgatherv");
        for (std::size_t i = 0; i < lengths.size(); ++i)
            all[i].append(round, static_cast<std::size_t>(starts[i]),
                          static_cast<std::size_t>(counts[i]));
    }

    int rank_ = 0;
    int size_ = 1;
    int node_size_ = 1;
    int hosts_ = 1;
};

} // namespace

MpiSession::MpiSession(int* argc, char*** argv) {
    occupy_standard_streams();
    int provided = MPI_THREAD_SINGLE;
    check(MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided), "MPI_Init_thread");
    if (provided < MPI_THREAD_FUNNELED)
        fail(Kind::environment,
             "this MPI library allows no threads (MPI_THREAD_FUNNELED is needed): {}",
             mpi_library());
    world_ = std::make_unique<MpiComm>();
}

MpiSession::~MpiSession() {
    // MPI_Finalize waits for all ranks. If this one leaves by an error the others may stand in
    // another collective and both would wait for ever; without it the launcher ends the job.
    if (world_->size() == 1 || std::uncaught_exceptions() == 0) MPI_Finalize();
}

Comm& MpiSession::world() { return *world_; }

std::string mpi_library() {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
    int length = 0;
    MPI_Get_library_version(text.data(), &length);
    const std::string_view all = trim(text.data());
    return std::string(all.substr(0, all.find('\n')));
}

} // namespace wavetrain
