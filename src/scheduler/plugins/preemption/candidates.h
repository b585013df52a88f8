#pragma once

#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "scheduler/model/nominations.h"
#include "scheduler/plugins/preemption/victims.h"

namespace proa::scheduler {

struct PreemptionArgs {
  int64_t min_candidate_percentage = 10;
  int64_t min_candidates = 100;
};

// Chooses the node for preemption. Results per pod shape and node are cached until the node
// changes, since many pods of one shape ask for the same nodes.
class Candidates {
 public:
  // Everything outlives it.
  Candidates(Cluster& cluster, const Nominations& nominations, const Budgets& budgets, Clock& clock,
             Random& random, PreemptionArgs args)
      : cluster_(cluster),
        nominations_(nominations),
        budgets_(budgets),
        clock_(clock),
        random_(random),
        args_(args) {}

  struct Choice {
    std::optional<NodeIndex> node = std::nullopt;
    std::vector<PodPtr> victims = {};
    std::string why_not = {};  // upstream's words, when there is no node
  };
  Choice choose(const Pod& pod, Diagnosis& diagnosis);

 private:
  enum class Known : uint8_t { kNothing, kNobody, kVictims };
  struct Kept {
    ShapePtr shape = {};  // so that its address stays its own
    // By slot. `known` is separate from `found` because most nodes have no victims.
    std::vector<Known> known = {};
    std::vector<VictimsFound> found = {};
    uint64_t layout = 0;
    uint64_t seen = 0;
    uint64_t budget_changes = 0;
    uint64_t used = 0;
    // For the pod in question: whether what is known may be used, but for that node.
    bool can_be_used = false;
    std::optional<NodeIndex> own_node = std::nullopt;
  };

  Kept& kept_for(const Pod& pod);
  void catch_up(Kept& kept);
  // Null: there are none.
  const Victims* victims_on(Kept& kept, const Pod& pod, Diagnosis& diagnosis, NodeIndex node);
  const VictimsFound& look_at(Kept& kept, const Pod& pod, Diagnosis& diagnosis, NodeIndex node);
  size_t wanted(size_t nodes) const;
  std::string why_none(size_t potential, Kept& kept, const Pod& pod, Diagnosis& diagnosis);

  Cluster& cluster_;
  const Nominations& nominations_;
  const Budgets& budgets_;
  Clock& clock_;
  Random& random_;
  const PreemptionArgs args_;
  std::unordered_map<const PodShape*, std::unique_ptr<Kept>> kept_;
  VictimsFound passing_;  // one that is not kept
  uint64_t uses_ = 0;
};

}  // namespace proa::scheduler
