#include "store/etcd/client/endpoints.h"

#include <algorithm>

namespace proa::store::etcd {
namespace endpoints {

constexpr Duration kFirstBackOff = std::chrono::milliseconds(100);
constexpr Duration kMaxBackOff = std::chrono::seconds(10);
// Doubling more often than this exceeds the maximum.
constexpr int kDoublings = 10;

}  // namespace endpoints

size_t Endpoints::choose(Steady now) {
  for (size_t i = 0; i < states_.size(); ++i) {
    const size_t index = (current_ + i) % states_.size();
    if (states_[index].retry_at > now) continue;
    current_ = index;
    return current_;
  }
  const auto first =
      std::min_element(states_.begin(), states_.end(),
                       [](const State& a, const State& b) { return a.retry_at < b.retry_at; });
  current_ = static_cast<size_t>(first - states_.begin());
  return current_;
}

void Endpoints::failed(size_t index, Steady now) {
  State& state = states_[index];
  const Duration wait =
      endpoints::kFirstBackOff * (1 << std::min(state.failures, endpoints::kDoublings));
  ++state.failures;
  state.retry_at = now + std::min(wait, endpoints::kMaxBackOff);
}

}  // namespace proa::store::etcd
