#include "scheduler/plugins/preemption/victims.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace proa::scheduler {
namespace victims {

Time start_of(const Pod& pod, Time now) { return pod.started == Time{} ? now : pod.started; }

// Removes pods from a node for what-if evaluation; restores them on destruction.
class WhatIf {
 public:
  WhatIf(Cluster& cluster, Diagnosis& diagnosis, NodeIndex node)
      : cluster_(cluster), diagnosis_(diagnosis), node_(node) {}
  ~WhatIf() {
    for (const PodPtr& pod : away_) give_back(pod);
  }
  WhatIf(const WhatIf&) = delete;
  WhatIf& operator=(const WhatIf&) = delete;

  void remove(const PodPtr& pod) {
    away_.push_back(pod);
    cluster_.try_remove(node_, pod->uid());
    diagnosis_.tell_removed(*pod, node_);
  }
  void add(const PodPtr& pod) {
    std::erase(away_, pod);
    give_back(pod);
  }

 private:
  void give_back(const PodPtr& pod) {
    cluster_.try_add(node_, pod);
    diagnosis_.tell_added(*pod, node_);
  }

  Cluster& cluster_;
  Diagnosis& diagnosis_;
  const NodeIndex node_;
  std::vector<PodPtr> away_;
};

// Those whose going breaks a budget, then the others; each in the order in which they came.
std::pair<std::vector<PodPtr>, std::vector<PodPtr>> by_budget(const std::vector<PodPtr>& pods,
                                                              std::span<const Budget> budgets) {
  std::vector<int64_t> allowed;
  for (const Budget& budget : budgets) allowed.push_back(budget.allowed);
  std::pair<std::vector<PodPtr>, std::vector<PodPtr>> split;
  for (const PodPtr& pod : pods) {
    bool breaks = false;
    for (size_t i = 0; i < budgets.size(); ++i) {
      if (!budgets[i].covers(*pod)) continue;
      if (budgets[i].on_their_way.contains(std::string(pod->name()))) continue;
      breaks = --allowed[i] < 0 || breaks;
    }
    (breaks ? split.first : split.second).push_back(pod);
  }
  return split;
}

Victims sum_up(std::vector<PodPtr> pods, int64_t violations, Time now) {
  Victims victims{.pods = std::move(pods), .violations = violations};
  victims.highest_priority = victims.pods.front()->priority();
  victims.started = start_of(*victims.pods.front(), now);
  for (const PodPtr& pod : victims.pods) {
    victims.priority_sum += int64_t{pod->priority()} - std::numeric_limits<int32_t>::min();
    if (pod->priority() == victims.highest_priority) {
      victims.started = std::min(victims.started, start_of(*pod, now));
    }
  }
  return victims;
}

const Verdict::Reasons kNobody = {"No preemption victims found for incoming pod"};

}  // namespace victims

bool more_important(const Pod& a, const Pod& b, Time now) {
  if (a.priority() != b.priority()) return a.priority() > b.priority();
  return victims::start_of(a, now) < victims::start_of(b, now);
}

VictimsFound select_victims(Cluster& cluster, Diagnosis& diagnosis, const Pod& pod, NodeIndex node,
                            std::span<const Budget> budgets, Time now) {
  std::vector<PodPtr> candidates;
  for (const PodPtr& one : cluster.at(node).pods()) {
    if (one->priority() < pod.priority()) candidates.push_back(one);
  }
  if (candidates.empty()) {
    return {.verdict = {.code = Code::kUnresolvable, .reasons = &victims::kNobody}};
  }
  victims::WhatIf what_if(cluster, diagnosis, node);
  for (const PodPtr& one : candidates) what_if.remove(one);
  if (const Verdict verdict = diagnosis.check(node); !verdict.ok()) return {.verdict = verdict};

  const auto order = [&](const PodPtr& a, const PodPtr& b) {
    if (more_important(*a, *b, now)) return true;
    // Deterministic: what-if evaluation reorders the pods of a node.
    return !more_important(*b, *a, now) && a->uid() < b->uid();
  };
  std::sort(candidates.begin(), candidates.end(), order);
  std::vector<PodPtr> chosen;
  const auto try_to_spare = [&](const PodPtr& one) {
    what_if.add(one);
    if (diagnosis.check(node).ok()) return true;
    what_if.remove(one);
    chosen.push_back(one);
    return false;
  };
  const auto [protected_ones, others] = victims::by_budget(candidates, budgets);
  int64_t violations = 0;
  for (const PodPtr& one : protected_ones) violations += try_to_spare(one) ? 0 : 1;
  for (const PodPtr& one : others) try_to_spare(one);
  // The pod did not fit with all of them, so there is a victim, unless a plugin is inconsistent.
  if (chosen.empty()) return {.verdict = {.code = Code::kError}};
  std::sort(chosen.begin(), chosen.end(), order);
  return {.victims = victims::sum_up(std::move(chosen), violations, now)};
}

bool costs_less(const Victims& a, const Victims& b) {
  const auto cost = [](const Victims& one) {
    return std::tuple(one.violations, one.highest_priority, one.priority_sum, one.pods.size());
  };
  if (cost(a) != cost(b)) return cost(a) < cost(b);
  return a.started > b.started;
}

}  // namespace proa::scheduler
