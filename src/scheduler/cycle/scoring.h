#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/random.h"
#include "scheduler/cycle/leaderboard.h"
#include "scheduler/framework/profile.h"
#include "scheduler/model/cluster.h"

namespace proa::scheduler {

// What one plugin says of nodes, normalized and with its weight.
struct PluginScores {
  const Plugin* plugin = nullptr;
  std::vector<int64_t> weighted = {};
};

// The scores of nodes for pods of one shape. Columns of numbers by slot: what plugins say of a node
// that look at a node alone is asked when the node changes, all else for every pod.
class Scoring {
 public:
  // Everything outlives it.
  Scoring(const Profile& profile, const Cluster& cluster, const Pod& pod);

  bool still_holds(const Pod& pod) const;
  void pod_added(const Pod& pod, NodeIndex node);
  void pod_removed(const Pod& pod, NodeIndex node);
  // The node takes pods of the shape, and was changed; or it takes none.
  void put(NodeIndex node);
  void leave_out(NodeIndex node);

  // Whether nodes can be compared by what was put() alone.
  bool is_simple() const;
  // The best of all that were put() and not left out; REQUIRES: is_simple().
  std::optional<NodeIndex> best_of_all(Random& random);
  // The best of these.
  NodeIndex best_of(std::span<const NodeIndex> feasible, Random& random);
  std::vector<PluginScores> of(std::span<const NodeIndex> feasible);

 private:
  struct Scorer {
    ScorePlugin* plugin = nullptr;
    int64_t weight = 1;
    std::unique_ptr<NodeScorer> scorer = {};
    // Of one that is local and normalizes: what it said of each node; and whether that was not
    // always the same. If it was, it makes no difference.
    std::vector<int64_t> raw = {};
    bool differs = false;
    std::optional<int64_t> first = std::nullopt;
  };

  void grow(NodeIndex node);
  static bool is_plain(const Scorer& scorer) {
    return scorer.scorer->is_local() && !scorer.scorer->normalizes();
  }
  // Normalized, into scratch_.
  void ask(Scorer& scorer, std::span<const NodeIndex> feasible);

  const Cluster& cluster_;
  std::vector<Scorer> scorers_;
  Leaderboard plain_;  // sum of what plain ones say; nodes that are left out are out
  std::vector<int64_t> totals_;
  std::vector<int64_t> scratch_;
};

}  // namespace proa::scheduler
