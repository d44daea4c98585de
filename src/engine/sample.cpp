/// Sampling by the inverse of the cumulative distribution.
#include "wavetrain/engine/sample.hpp"

#include "wavetrain/base/random.hpp"

#include <algorithm>
#include <vector>

namespace wavetrain {
namespace {

constexpr std::size_t kRun = 4096;

template <class Real> double probability(const State<Real>& state, std::size_t index) {
    return std::norm(state.amplitude(index));
}

/// Walks through one run of the state with the sorted targets that fall into it. A target belongs
/// to the first state at which the running sum exceeds it, so never to one of probability 0.
template <class Real> class RunWalk {
public:
    RunWalk(const State<Real>& state, std::size_t first, double start)
        : state_(state), next_(first), end_(std::min(state.size(), first + kRun)), start_(start),
          found_(first) {}

    std::size_t find(double target) {
        while (next_ < end_ && !(start_ + sum_ > target)) {
            const double p = probability(state_, next_);
            if (p > 0.0) {
                sum_ += p;
                found_ = next_;
            }
            ++next_;
        }
        return found_; // at the end of the run: its last state with any probability
    }

private:
    const State<Real>& state_;
    std::size_t next_;
    std::size_t end_;
    double start_;
    double sum_ = 0;
    std::size_t found_;
};

} // namespace

template <class Real>
std::map<std::uint64_t, std::uint64_t> sample(const State<Real>& state, std::uint64_t count,
                                              std::uint64_t seed) {
    // Cumulative sums over runs, so that large states keep their digits.
    std::vector<double> ends;
    double total = 0;
    for (std::size_t first = 0; first < state.size(); first += kRun) {
        double sum = 0;
        const std::size_t end = std::min(state.size(), first + kRun);
        for (std::size_t i = first; i < end; ++i) sum += probability(state, i);
        total += sum;
        ends.push_back(total);
    }
    // Sorted targets walk through the state once.
    std::vector<double> targets(count);
    for (std::uint64_t shot = 0; shot < count; ++shot)
        targets[shot] = total * random_uniform(seed, Purpose::samples, shot);
    std::sort(targets.begin(), targets.end());
    std::map<std::uint64_t, std::uint64_t> counts;
    // A target that rounding lifted to the total itself belongs to the last run that adds to it.
    const auto last_run =
        static_cast<std::size_t>(std::lower_bound(ends.begin(), ends.end(), total) - ends.begin());
    auto target = targets.begin();
    for (std::size_t run = 0; run <= last_run && target != targets.end(); ++run) {
        RunWalk<Real> walk(state, run * kRun, run == 0 ? 0.0 : ends[run - 1]);
        for (; target != targets.end() && (*target < ends[run] || run == last_run); ++target)
            ++counts[walk.find(*target)];
    }
    return counts;
}

template std::map<std::uint64_t, std::uint64_t> sample(const State<float>&, std::uint64_t,
                                                       std::uint64_t);
template std::map<std::uint64_t, std::uint64_t> sample(const State<double>&, std::uint64_t,
                                                       std::uint64_t);

} // namespace wavetrain
