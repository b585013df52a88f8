#include "scheduler/cycle/evaluations.h"

#include <algorithm>

namespace proa::scheduler {
namespace evaluations {

// Together they may have so many entries for nodes: some 50 bytes each.
constexpr size_t kMostEntries = 400'000;
constexpr size_t kFewest = 4;

}  // namespace evaluations

Evaluation& Evaluations::of(const Profile& profile, const Pod& pod) {
  const auto found = kept_.find(pod.shape.get());
  if (found != kept_.end()) {
    found->second.used = ++uses_;
    found->second.evaluation->refresh(pod);
    if (found->second.evaluation->can_be_kept()) return *found->second.evaluation;
    passing_ = std::move(found->second.evaluation);
    kept_.erase(found);
    return *passing_;
  }
  auto made = std::make_unique<Evaluation>(profile, cluster_, nominations_, pod);
  made->refresh(pod);
  if (!made->can_be_kept()) {
    passing_ = std::move(made);
    return *passing_;
  }
  make_room();
  Kept& kept = kept_[pod.shape.get()];
  kept.evaluation = std::move(made);
  kept.shape = pod.shape;
  kept.used = ++uses_;
  return *kept.evaluation;
}

void Evaluations::make_room() {
  const size_t most = std::max(evaluations::kFewest,
                               evaluations::kMostEntries / std::max<size_t>(1, cluster_.slots()));
  while (kept_.size() >= most) {
    const auto oldest = std::min_element(
        kept_.begin(), kept_.end(),
        [](const auto& a, const auto& b) { return a.second.used < b.second.used; });
    kept_.erase(oldest);
  }
}

}  // namespace proa::scheduler
