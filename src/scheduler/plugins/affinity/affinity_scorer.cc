#include "scheduler/plugins/affinity/affinity_scorer.h"

#include <algorithm>

#include "scheduler/plugins/affinity/domain_columns.h"
#include "scheduler/plugins/affinity/each_pod.h"
#include "scheduler/plugins/affinity/shape_memo.h"

namespace proa::scheduler {
namespace affinity_scorer {

// What one pod of a shape is worth to its domain of one label.
struct Step {
  uint32_t column = 0;
  int64_t weight = 0;
};
using Steps = std::vector<Step>;

class AffinityScorer final : public NodeScorer {
 public:
  AffinityScorer(const Cluster& cluster, IncomingPod pod, int32_t required_weight)
      : cluster_(cluster),
        pod_(std::move(pod)),
        required_weight_(required_weight),
        every_pod_(pod_.has_preferred_terms()) {
    count_all();
  }

  bool is_local() const override { return false; }
  bool is_current(const Pod&) const override { return pod_.is_current(); }
  void pod_added(const Pod& pod, NodeIndex node) override { count(pod.shape, node, 1); }
  void pod_removed(const Pod& pod, NodeIndex node) override { count(pod.shape, node, -1); }
  bool normalizes() const override { return true; }

  int64_t score(NodeIndex index, const Node&) override {
    int64_t sum = 0;
    for (const auto& column : columns_) {
      const int64_t* weight = column.of(index);
      if (weight != nullptr) sum += *weight;
    }
    return sum;
  }
  void normalize(std::span<const NodeIndex> feasible, std::span<int64_t> scores) override;

 private:
  void count_all();
  void count(const ShapePtr& shape, NodeIndex node, int64_t sign);
  Steps work_out(const PodShape& other);
  void add_own(Steps& steps, const std::vector<AffinityTerm>& terms, const PodShape& other,
               int64_t sign);
  void add_theirs(Steps& steps, const std::vector<AffinityTerm>& terms, int64_t sign);
  void add(Steps& steps, const AffinityTerm& term, int64_t weight);

  const Cluster& cluster_;
  IncomingPod pod_;
  const int64_t required_weight_;
  const bool every_pod_;  // may matter; else only those with affinity of some sort
  DomainColumns<int64_t> columns_;
  ShapeMemo<Steps> memo_;
};

void AffinityScorer::add(Steps& steps, const AffinityTerm& term, int64_t weight) {
  const uint32_t column = columns_.index_of(cluster_, term.topology_key);
  const auto found = std::find_if(steps.begin(), steps.end(),
                                  [&](const Step& step) { return step.column == column; });
  if (found == steps.end()) {
    steps.push_back({.column = column, .weight = weight});
  } else {
    found->weight += weight;
  }
}

void AffinityScorer::add_own(Steps& steps, const std::vector<AffinityTerm>& terms,
                             const PodShape& other, int64_t sign) {
  for (const AffinityTerm& term : terms) {
    if (pod_.means(term, other)) add(steps, term, sign * term.weight);
  }
}

void AffinityScorer::add_theirs(Steps& steps, const std::vector<AffinityTerm>& terms,
                                int64_t sign) {
  for (const AffinityTerm& term : terms) {
    if (pod_.is_meant_by(term)) add(steps, term, sign * term.weight);
  }
}

Steps AffinityScorer::work_out(const PodShape& other) {
  Steps steps;
  add_own(steps, pod_.shape().preferred_affinity, other, 1);
  add_own(steps, pod_.shape().preferred_anti_affinity, other, -1);
  add_theirs(steps, other.preferred_affinity, 1);
  add_theirs(steps, other.preferred_anti_affinity, -1);
  if (required_weight_ > 0) {
    for (const AffinityTerm& term : other.affinity) {
      if (pod_.is_meant_by(term)) add(steps, term, required_weight_);
    }
  }
  return steps;
}

void AffinityScorer::count(const ShapePtr& shape, NodeIndex node, int64_t sign) {
  if (!every_pod_ && !shape->has_affinity()) return;
  const Steps& steps = memo_.get(shape, [this](const PodShape& other) { return work_out(other); });
  for (const Step& step : steps) {
    int64_t* weight = columns_[step.column].of(node);
    if (weight != nullptr) *weight += sign * step.weight;
  }
}

void AffinityScorer::count_all() {
  for_each_pod(
      cluster_, [this](const Node& node) { return every_pod_ || node.pods_with_affinity() > 0; },
      [this](const ShapePtr& shape, NodeIndex node) { count(shape, node, 1); });
}

void AffinityScorer::normalize(std::span<const NodeIndex>, std::span<int64_t> scores) {
  if (scores.empty()) return;
  const auto [lowest, highest] = std::minmax_element(scores.begin(), scores.end());
  const int64_t least = *lowest;
  const auto range = static_cast<double>(*highest - least);
  if (range == 0) {
    std::fill(scores.begin(), scores.end(), 0);
    return;
  }
  // In this order of operations, or some results are rounded down to another number than
  // upstream's.
  for (int64_t& score : scores) {
    score = static_cast<int64_t>(static_cast<double>(kMaxScore) *
                                 (static_cast<double>(score - least) / range));
  }
}

}  // namespace affinity_scorer

std::unique_ptr<NodeScorer> make_affinity_scorer(const Cluster& cluster, IncomingPod pod,
                                                 int32_t required_weight) {
  return std::make_unique<affinity_scorer::AffinityScorer>(cluster, std::move(pod),
                                                           required_weight);
}

}  // namespace proa::scheduler
