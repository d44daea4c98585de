/// Ranks as threads: every verb with a mutex and a condition variable.
#include "wavetrain/comm/threads.hpp"

#include "chunks.hpp"
#include "wavetrain/base/error.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

namespace wavetrain {
namespace {

/// What a rank brings to a collective: which verb, how many elements, where they are.
struct Offer {
    std::string_view verb;
    std::size_t count = 0;
    const void* data = nullptr;
};

/// What the ranks share. A collective is: offer, meet, read the others' offers, part. Nobody parts
/// before all have read, whatever else happens, so that offers and what they point at stay alive.
class World {
public:
    explicit World(int ranks) : offers_(static_cast<std::size_t>(ranks)) {}

    int size() const { return static_cast<int>(offers_.size()); }

    /// Calls read() when all ranks have made their offers, which must name the same verb and,
    /// where `same_count`, the same number of elements. A `peer` error if a rank never comes.
    template <class Read>
    void collective(int rank, const Offer& offer, bool same_count, Read&& read) {
        offers_[static_cast<std::size_t>(rank)] = offer;
        meet();
        const Parting parting{*this};
        for (const Offer& other : offers_) {
            if (other.verb != offer.verb)
                fail(Kind::bug, "ranks disagree: {} here, {} elsewhere", offer.verb, other.verb);
            if (same_count && other.count != offer.count)
                fail(Kind::bug, "ranks disagree: {} of {} elements here, of {} elsewhere",
                     offer.verb, offer.count, other.count);
        }
        read();
    }

    const Offer& offer_of(int rank) const { return offers_[static_cast<std::size_t>(rank)]; }

    /// Releases everyone; the first failure is kept.
    void lose_rank(const std::exception_ptr& failure, const std::string& reason) {
        const std::lock_guard lock(mutex_);
        if (failure_) return;
        failure_ = failure;
        reason_ = reason;
        changed_.notify_all();
    }

    /// A rank ended well: whoever still waits for it waits in vain.
    void leave() {
        const std::lock_guard lock(mutex_);
        ++left_;
        if (here_ > 0) lose("another rank has ended and takes no part any more");
    }

    std::exception_ptr failure() const { return failure_; }

private:
    /// Parts from the others when its scope ends, by an exception too.
    struct Parting {
        World& world;
        ~Parting() { world.part(); }
    };

    /// Waits until all ranks are here; a `peer` error if one never will be.
    void meet() {
        std::unique_lock lock(mutex_);
        if (left_ > 0) lose("another rank has ended and takes no part any more");
        if (failure_) throw_lost();
        const std::uint64_t meeting = meetings_;
        if (arrive()) return;
        changed_.wait(lock, [&] { return failure_ != nullptr || meetings_ != meeting; });
        if (meetings_ == meeting) throw_lost();
    }

    /// Waits for all who have met: they come for certain, also after a failure.
    void part() {
        std::unique_lock lock(mutex_);
        const std::uint64_t meeting = meetings_;
        if (!arrive()) changed_.wait(lock, [&] { return meetings_ != meeting; });
    }

    /// With the mutex held: counts this rank; true for the last, who wakes the others.
    bool arrive() {
        if (++here_ < size()) return false;
        here_ = 0;
        ++meetings_;
        changed_.notify_all();
        return true;
    }

    /// With the mutex held.
    void lose(const std::string& reason) {
        if (failure_) return;
        reason_ = reason;
        failure_ = std::make_exception_ptr(Error(Kind::peer, reason));
        changed_.notify_all();
    }

    [[noreturn]] void throw_lost() const { throw Error(Kind::peer, reason_); }

    std::vector<Offer> offers_;
    std::mutex mutex_;
    std::condition_variable changed_;
    int here_ = 0;
    int left_ = 0;
    std::uint64_t meetings_ = 0;
    std::exception_ptr failure_;
    std::string reason_;
};

class ThreadComm final : public Comm {
public:
    ThreadComm(World& world, int rank, int hosts) : world_(world), rank_(rank), hosts_(hosts) {}

    int rank() const override { return rank_; }
    int size() const override { return world_.size(); }
    int hosts() const override { return hosts_; }

    int node_size() const override {
        int ranks = 0;
        for (int other = 0; other < size(); ++other) ranks += host_of(other) == host_of(rank_);
        return ranks;
    }

    void sum(std::span<std::int64_t> values) override {
        std::vector<std::int64_t> total(values.size());
        const auto add_all = [&](std::size_t offset, std::size_t count) {
            for (int other = 0; other < size(); ++other) {
                const auto* terms = static_cast<const std::int64_t*>(theirs(other));
                for (std::size_t i = offset; i < offset + count; ++i) total[i] += terms[i];
            }
        };
        world_.collective(rank_, {"sum", values.size(), values.data()}, true,
                          [&] { for_each_chunk(values.size(), chunk_elements(), add_all); });
        std::copy(total.begin(), total.end(), values.begin());
    }

    void broadcast(std::string& bytes, int root) override {
        promise(root >= 0 && root < size(), "broadcast: no such root");
        std::string copy;
        world_.collective(rank_, {"broadcast", static_cast<std::size_t>(root), &bytes}, true,
                          [&] { copy = copy_of(*static_cast<const std::string*>(theirs(root))); });
        bytes = std::move(copy);
    }

    std::vector<std::string> all_gather(std::string_view bytes) override {
        std::vector<std::string> all;
        world_.collective(rank_, {"all_gather", bytes.size(), &bytes}, false, [&] {
            for (int other = 0; other < size(); ++other)
                all.push_back(copy_of(*static_cast<const std::string_view*>(theirs(other))));
        });
        return all;
    }

    void barrier() override {
        world_.collective(rank_, {"barrier", 0, nullptr}, false, [] {});
    }

    [[noreturn]] void abort(int exit_code) override {
        const Error error(static_cast<Kind>(exit_code),
                          format("rank {} aborted the job with exit code {}", rank_, exit_code), {},
                          rank_);
        world_.lose_rank(std::make_exception_ptr(error), error.what());
        throw error;
    }

private:
    int host_of(int rank) const { return rank * hosts_ / size(); }
    const void* theirs(int rank) const { return world_.offer_of(rank).data; }

    std::string copy_of(std::string_view source) const {
        std::string copy;
        for_each_chunk(source.size(), chunk_elements(), [&](std::size_t offset, std::size_t count) {
            copy += source.substr(offset, count);
        });
        return copy;
    }

    World& world_;
    int rank_;
    int hosts_;
};

void run_rank(World& world, int rank, int hosts, const std::function<void(Comm&)>& body) {
    try {
        ThreadComm comm(world, rank, hosts);
        body(comm);
        world.leave();
    } catch (const std::exception& error) {
        world.lose_rank(std::current_exception(),
                        format("rank {} was lost: {}", rank, error.what()));
    } catch (...) {
        world.lose_rank(std::current_exception(), format("rank {} was lost", rank));
    }
}

} // namespace

void run_ranks(int ranks, const std::function<void(Comm&)>& body, int hosts) {
    promise(ranks >= 1 && hosts >= 1 && hosts <= ranks, "run_ranks: 1 <= hosts <= ranks");
    World world(ranks);
    {
        std::vector<std::jthread> threads;
        try {
            for (int rank = 0; rank < ranks; ++rank)
                threads.emplace_back([&, rank] { run_rank(world, rank, hosts, body); });
        } catch (const std::exception&) {
            world.lose_rank(std::current_exception(), "a rank could not be started");
        }
    }
    if (const auto failure = world.failure()) std::rethrow_exception(failure);
}

} // namespace wavetrain
