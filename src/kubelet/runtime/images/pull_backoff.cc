#include "kubelet/runtime/images/pull_backoff.h"

#include <algorithm>

namespace proa::kubelet {
namespace pull_backoffs {

constexpr Duration kFirst = std::chrono::seconds(10);
constexpr Duration kLongest = std::chrono::minutes(5);
// After this time without a failure, the back-off starts over.
constexpr Duration kForgotten = 2 * kLongest;

}  // namespace pull_backoffs

Duration PullBackoff::failed(api::UidView pod_uid, const std::string& image, Steady now,
                             std::string error) {
  Entry& entry = entries_[{api::Uid(pod_uid), image}];
  const bool is_new =
      entry.wait == Duration::zero() || now - entry.updated > pull_backoffs::kForgotten;
  entry.wait = is_new ? pull_backoffs::kFirst : std::min(2 * entry.wait, pull_backoffs::kLongest);
  entry.updated = now;
  entry.error = std::move(error);
  return entry.wait;
}

std::optional<PullBackoff::Failure> PullBackoff::waits(api::UidView pod_uid,
                                                       const std::string& image, Steady now) const {
  const auto found = entries_.find({api::Uid(pod_uid), image});
  if (found == entries_.end() || now - found->second.updated >= found->second.wait) {
    return std::nullopt;
  }
  return Failure{found->second.updated + found->second.wait, found->second.error};
}

void PullBackoff::forget(api::UidView pod_uid) {
  auto next = entries_.lower_bound({api::Uid(pod_uid), {}});
  while (next != entries_.end() && next->first.first == pod_uid) next = entries_.erase(next);
}

}  // namespace proa::kubelet
