#include "controllers/workload/daemon/daemon_plan.h"

#include <algorithm>
#include <tuple>

namespace proa::controllers {
namespace daemon_plan {

using Why = DaemonRemoval::Why;
using Pods = std::vector<const DaemonPod*>;

void remove(const DaemonNode& node, const DaemonPod& pod, DaemonPlan& plan,
            Why why = Why::kPlanned) {
  plan.remove.push_back({.pod = pod.name, .node = node.name, .why = why});
}

// Of several running pods, one old and one new stay while the old one is needed.
void thin_out_surge(const DaemonNode& node, const Pods& running, DaemonPlan& plan) {
  const DaemonPod* oldest_new = nullptr;
  const DaemonPod* oldest_old = nullptr;
  for (const DaemonPod* pod : running) {
    const DaemonPod*& first = pod->updated ? oldest_new : oldest_old;
    if (first == nullptr) {
      first = pod;
    } else {
      remove(node, *pod, plan);
    }
  }
  if (oldest_new == nullptr || oldest_old == nullptr) return;
  if (!oldest_old->ready || oldest_new->available) remove(node, *oldest_old, plan);
}

void place_on(const DaemonNode& node, bool surges, DaemonPlan& plan) {
  Pods running;
  bool held = false;
  for (const DaemonPod& pod : node.pods) {
    if (pod.being_deleted) continue;
    if (pod.held) {
      held = true;
    } else if (pod.failed) {
      remove(node, pod, plan, Why::kFailed);
    } else if (pod.succeeded) {
      remove(node, pod, plan, Why::kSucceeded);
    } else {
      running.push_back(&pod);
    }
  }
  if (!surges) {
    for (size_t i = 1; i < running.size(); ++i) remove(node, *running[i], plan);
  } else if (running.size() > 1) {
    thin_out_surge(node, running, plan);
  } else if (running.empty() && node.may_start && !held) {
    plan.create_on.push_back(node.name);
  }
}

// The new and the old pod of a node. Duplicates are handled by plan_placement().
struct Pair {
  const DaemonPod* fresh = nullptr;
  const DaemonPod* old = nullptr;
  bool clear = true;
};

Pair pair_on(const DaemonNode& node) {
  Pair pair;
  for (const DaemonPod& pod : node.pods) {
    if (pod.being_deleted) continue;
    const DaemonPod*& one = pod.updated ? pair.fresh : pair.old;
    if (one != nullptr) pair.clear = false;
    one = &pod;
  }
  return pair;
}

bool is_concerned(const DaemonNode& node) { return node.may_start || !node.pods.empty(); }

// Without surge: deletes old pods on at most maxUnavailable nodes at a time.
DaemonPlan plan_replacing(std::span<const DaemonNode> nodes, int64_t max_unavailable) {
  DaemonPlan plan;
  DaemonPlan candidates;
  int64_t unavailable = 0;
  for (const DaemonNode& node : nodes) {
    if (!is_concerned(node)) continue;
    const Pair pair = pair_on(node);
    const bool one = (pair.fresh == nullptr) != (pair.old == nullptr);
    if (!pair.clear || !one) {
      ++unavailable;
    } else if (pair.fresh != nullptr) {
      if (!pair.fresh->available) ++unavailable;
    } else if (!pair.old->available) {
      // Unavailable anyway.
      remove(node, *pair.old, plan);
      ++unavailable;
    } else {
      remove(node, *pair.old, candidates);
    }
  }
  for (const DaemonRemoval& removal : candidates.remove) {
    if (unavailable >= max_unavailable) break;
    plan.remove.push_back(removal);
    ++unavailable;
  }
  return plan;
}

// With surge: creates new pods on at most maxSurge nodes at a time, then deletes old ones.
class Surge {
 public:
  explicit Surge(const DaemonUpdatePolicy& policy) : policy_(policy) {}

  DaemonPlan plan(std::span<const DaemonNode> nodes) {
    for (const DaemonNode& node : nodes) look_at(node);
    for (const std::string& node : candidates_) {
      if (surging_ >= policy_.max_surge) break;
      plan_.create_on.push_back(node);
      ++surging_;
    }
    // When eligible nodes change, old pods stay until the new ones are available.
    int64_t spare = available_ - policy_.desired;
    for (const DaemonRemoval& removal : leaving_.remove) {
      if (spare-- <= 0) break;
      plan_.remove.push_back(removal);
    }
    return std::move(plan_);
  }

 private:
  void look_at(const DaemonNode& node) {
    if (!is_concerned(node)) return;
    const Pair pair = pair_on(node);
    if (!pair.clear) {
      ++surging_;
      return;
    }
    const DaemonPod* serving = pair.old != nullptr ? pair.old : pair.fresh;
    if (serving != nullptr && serving->available) ++available_;
    if (pair.old == nullptr) return;
    if (pair.fresh != nullptr) {
      if (pair.fresh->available) {
        remove(node, *pair.old, plan_);
      } else {
        ++surging_;
      }
    } else if (node.exists) {
      replace(node, *pair.old);
    }
  }

  void replace(const DaemonNode& node, const DaemonPod& old) {
    if (!node.may_start) {
      remove(node, old, old.available ? leaving_ : plan_);
    } else if (old.available) {
      candidates_.push_back(node.name);
    } else {
      plan_.create_on.push_back(node.name);
    }
  }

  const DaemonUpdatePolicy policy_;
  DaemonPlan plan_;
  DaemonPlan leaving_;
  std::vector<std::string> candidates_;
  int64_t surging_ = 0;
  int64_t available_ = 0;
};

}  // namespace daemon_plan

void sort_daemon_pods(std::vector<DaemonPod>& pods) {
  std::sort(pods.begin(), pods.end(), [](const DaemonPod& a, const DaemonPod& b) {
    return std::tie(b.scheduled, a.created, a.name) < std::tie(a.scheduled, b.created, b.name);
  });
}

DaemonPlan plan_placement(std::span<const DaemonNode> nodes, bool surges) {
  DaemonPlan plan;
  for (const DaemonNode& node : nodes) {
    if (node.may_start && node.pods.empty()) {
      plan.create_on.push_back(node.name);
    } else if (node.may_stay) {
      daemon_plan::place_on(node, surges, plan);
    } else {
      for (const DaemonPod& pod : node.pods) {
        // Pods of deleted nodes are left to the garbage collector.
        const bool ours = node.exists || !pod.scheduled;
        if (ours && !pod.being_deleted) daemon_plan::remove(node, pod, plan);
      }
    }
  }
  return plan;
}

DaemonPlan plan_update(std::span<const DaemonNode> nodes, const DaemonUpdatePolicy& policy) {
  if (policy.max_surge > 0) return daemon_plan::Surge(policy).plan(nodes);
  return daemon_plan::plan_replacing(nodes, policy.max_unavailable);
}

DaemonCounts count_daemons(std::span<const DaemonNode> nodes) {
  DaemonCounts counts;
  for (const DaemonNode& node : nodes) {
    if (!node.exists) continue;
    if (!node.may_start) {
      if (!node.pods.empty()) ++counts.misscheduled;
      continue;
    }
    ++counts.desired;
    if (node.pods.empty()) continue;
    ++counts.current;
    const DaemonPod& oldest = node.pods.front();
    if (oldest.ready) ++counts.ready;
    if (oldest.ready && oldest.available) ++counts.available;
    if (oldest.updated) ++counts.updated;
  }
  return counts;
}

}  // namespace proa::controllers
