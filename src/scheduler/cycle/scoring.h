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

// The scores of one plugin, normalized and weighted.
struct PluginScores {
  const Plugin* plugin = nullptr;
  std::vector<int64_t> weighted = {};
};

// The scores of nodes for the pods of one shape, in columns by slot. Local plugins are asked when a
// node changes, the others for every pod.
class Scoring {
 public:
  // Everything outlives it.
  Scoring(const Profile& profile, const Cluster& cluster, const Pod& pod);

  bool is_current(const Pod& pod) const;
  void pod_added(const Pod& pod, NodeIndex node);
  void pod_removed(const Pod& pod, NodeIndex node);
  // The node is feasible and has changed, or is not feasible.
  void put(NodeIndex node);
  void leave_out(NodeIndex node);

  // Whether nodes can be ranked by the scores of put() alone.
  bool is_simple() const;
  // The best of all feasible nodes. REQUIRES: is_simple().
  std::optional<NodeIndex> best_of_all(Random& random);
  // The best of these nodes.
  NodeIndex best_of(std::span<const NodeIndex> feasible, Random& random);
  std::vector<PluginScores> of(std::span<const NodeIndex> feasible);

 private:
  struct Scorer {
    ScorePlugin* plugin = nullptr;
    int64_t weight = 1;
    std::unique_ptr<NodeScorer> scorer = {};
    // For a local plugin that normalizes: its raw score per node, and whether scores differ. If
    // not, the plugin does not matter.
    std::vector<int64_t> raw = {};
    bool differs = false;
    std::optional<int64_t> first = std::nullopt;
  };

  void grow(NodeIndex node);
  static bool is_plain(const Scorer& scorer) {
    return scorer.scorer->is_local() && !scorer.scorer->normalizes();
  }
  // Normalizes into scratch_.
  void ask(Scorer& scorer, std::span<const NodeIndex> feasible);

  const Cluster& cluster_;
  std::vector<Scorer> scorers_;
  Leaderboard plain_;  // sum of plugins without normalization; infeasible nodes are out
  std::vector<int64_t> totals_;
  std::vector<int64_t> scratch_;
};

}  // namespace proa::scheduler
