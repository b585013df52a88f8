#include "scheduler/plugins/resources/balanced_scorer.h"

#include <algorithm>

#include "scheduler/plugins/resources/scoring.h"

namespace proa::scheduler {

namespace balanced_scorer {

double fraction(int64_t used, int64_t capacity) {
  return std::min(1.0, static_cast<double>(used) / static_cast<double>(capacity));
}

class Scorer final : public NodeScorer {
 public:
  explicit Scorer(std::vector<ScoredResource> resources) : resources_(std::move(resources)) {
    with_.reserve(resources_.size());
    without_.reserve(resources_.size());
  }

  // Evenness is 50 to 100. The score is 75 where the pod changes nothing, up to 100 where it makes
  // the node evener, down to 50 where it does the opposite.
  int64_t score(NodeIndex, const Node& node) override {
    with_.clear();
    without_.clear();
    for (const ScoredResource& resource : resources_) {
      const int64_t capacity = resource.allocatable(node);
      if (capacity == 0) continue;
      const int64_t allocated = resource.allocated(node);
      with_.push_back(fraction(allocated + resource.request, capacity));
      without_.push_back(fraction(allocated, capacity));
    }
    constexpr int64_t kHalf = kMaxScore / 2;
    return kHalf + (kHalf + evenness(with_) - evenness(without_)) / 2;
  }

 private:
  const std::vector<ScoredResource> resources_;
  // Of the node being scored, kept for their memory.
  std::vector<double> with_;
  std::vector<double> without_;
};

}  // namespace balanced_scorer

std::unique_ptr<NodeScorer> make_balanced_scorer(std::span<const ResourceWeight> resources,
                                                 const Resources& request) {
  auto scored = scored_resources(resources, request, false);
  // Such pods change no node, so they would all go to the same one (upstream skips them too).
  const bool asks_nothing =
      std::all_of(scored.begin(), scored.end(), [](const auto& one) { return one.request == 0; });
  if (asks_nothing) return nullptr;
  return std::make_unique<balanced_scorer::Scorer>(std::move(scored));
}

}  // namespace proa::scheduler
