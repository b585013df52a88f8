#include "scheduler/plugins/affinity/affinity_filter.h"

#include <algorithm>

#include "scheduler/plugins/affinity/affinity_suggestion.h"
#include "scheduler/plugins/affinity/domain_columns.h"
#include "scheduler/plugins/affinity/each_pod.h"
#include "scheduler/plugins/affinity/shape_memo.h"

namespace proa::scheduler {
namespace affinity_filter {

// How often terms and pods of one domain meet.
struct Counts {
  int32_t affinity = 0;       // pods that all terms of the pod's affinity mean
  int32_t anti_affinity = 0;  // pods that a term of its anti-affinity means, for each such term
  int32_t unwanted = 0;       // terms of other pods' anti-affinity that mean it
};

// What one pod of a shape adds to its domain of one label.
struct Step {
  uint32_t column = 0;
  Counts counts = {};
};
using Steps = std::vector<Step>;

Counts& counts_of(Steps& steps, uint32_t column) {
  for (Step& step : steps) {
    if (step.column == column) return step.counts;
  }
  return steps.emplace_back(Step{.column = column}).counts;
}

class AffinityFilter final : public NodeFilter {
 public:
  AffinityFilter(const Cluster& cluster, IncomingPod pod, const AffinityVerdicts& verdicts)
      : cluster_(cluster),
        pod_(std::move(pod)),
        verdicts_(verdicts),
        every_pod_(pod_.has_required_terms()) {
    for (const AffinityTerm& term : pod_.shape().affinity) column_of(term);
    wanted_ = columns_.size();
    matches_itself_ = pod_.means_by_all_affinity(pod_.shape());
    count_all();
  }

  bool is_local() const override { return false; }
  bool is_current(const Pod&) const override { return pod_.is_current(); }
  void pod_added(const Pod& pod, NodeIndex node) override { count(pod.shape, node, 1); }
  void pod_removed(const Pod& pod, NodeIndex node) override { count(pod.shape, node, -1); }
  Verdict check(NodeIndex index, const Node& node) override;
  std::string suggestion(NodeIndex index, const Node&) override {
    return mend_affinity(cluster_, pod_, index);
  }

 private:
  uint32_t column_of(const AffinityTerm& term) {
    return columns_.index_of(cluster_, term.topology_key);
  }
  void count_all();
  void count(const ShapePtr& shape, NodeIndex node, int32_t sign);
  Steps work_out(const PodShape& other);

  const Cluster& cluster_;
  IncomingPod pod_;
  const AffinityVerdicts verdicts_;
  const bool every_pod_;  // may matter; else only those with anti-affinity
  DomainColumns<Counts> columns_;
  uint32_t wanted_ = 0;          // so many columns, the first ones, are those of its affinity
  bool matches_itself_ = false;  // its affinity means pods like itself
  int64_t near_ = 0;             // the sum of all Counts::affinity
  ShapeMemo<Steps> memo_;
};

Steps AffinityFilter::work_out(const PodShape& other) {
  Steps steps;
  if (pod_.means_by_all_affinity(other)) {
    for (uint32_t column = 0; column < wanted_; ++column) counts_of(steps, column).affinity = 1;
  }
  for (const AffinityTerm& term : pod_.shape().anti_affinity) {
    if (pod_.means(term, other)) ++counts_of(steps, column_of(term)).anti_affinity;
  }
  for (const AffinityTerm& term : other.anti_affinity) {
    if (pod_.is_meant_by(term)) ++counts_of(steps, column_of(term)).unwanted;
  }
  return steps;
}

void AffinityFilter::count(const ShapePtr& shape, NodeIndex node, int32_t sign) {
  if (!every_pod_ && shape->anti_affinity.empty()) return;
  const Steps& steps = memo_.get(shape, [this](const PodShape& other) { return work_out(other); });
  for (const Step& step : steps) {
    Counts* counts = columns_[step.column].of(node);
    if (counts == nullptr) continue;
    counts->affinity += sign * step.counts.affinity;
    counts->anti_affinity += sign * step.counts.anti_affinity;
    counts->unwanted += sign * step.counts.unwanted;
    near_ += sign * step.counts.affinity;
  }
}

void AffinityFilter::count_all() {
  for_each_pod(
      cluster_,
      [this](const Node& node) { return every_pod_ || node.pods_with_anti_affinity() > 0; },
      [this](const ShapePtr& shape, NodeIndex node) { count(shape, node, 1); });
}

Verdict AffinityFilter::check(NodeIndex index, const Node&) {
  bool lonely = false;
  bool anti_affinity = false;
  bool unwanted = false;
  uint32_t number = 0;
  for (const auto& column : columns_) {
    const bool wanted = number++ < wanted_;
    const Counts* counts = column.of(index);
    if (counts == nullptr) {
      if (wanted) return verdicts_.no_affinity;
      continue;
    }
    lonely |= wanted && counts->affinity <= 0;
    anti_affinity |= counts->anti_affinity > 0;
    unwanted |= counts->unwanted > 0;
  }
  // The first pod of a group with affinity to itself may go anywhere.
  if (lonely && !(near_ == 0 && matches_itself_)) return verdicts_.no_affinity;
  if (anti_affinity) return verdicts_.anti_affinity;
  if (unwanted) return verdicts_.unwanted;
  return {};
}

}  // namespace affinity_filter

std::unique_ptr<NodeFilter> make_affinity_filter(const Cluster& cluster, IncomingPod pod,
                                                 const AffinityVerdicts& verdicts) {
  return std::make_unique<affinity_filter::AffinityFilter>(cluster, std::move(pod), verdicts);
}

}  // namespace proa::scheduler
