/// In which order an epoch takes its samples.
#include "order.hpp"

#include "wavetrain/base/hash.hpp"
#include "wavetrain/base/random.hpp"

#include <numeric>
#include <string_view>

namespace wavetrain {

std::vector<std::size_t> epoch_order(const TrainOptions& options, std::size_t count,
                                     std::int64_t epoch) {
    if (options.shuffle)
        return random_permutation(options.seed, Purpose::shuffle, count,
                                  static_cast<std::uint32_t>(epoch));
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    return order;
}

std::string order_sha256(const TrainOptions& options, std::size_t count, std::int64_t epoch) {
    const std::vector<std::size_t> order = epoch_order(options, count, epoch);
    return sha256(std::string_view(reinterpret_cast<const char*>(order.data()),
                                   order.size() * sizeof(std::size_t)));
}

} // namespace wavetrain
