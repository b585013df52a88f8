#include "scheduler/cycle/scoring.h"

#include <algorithm>

#include "base/check.h"

namespace proa::scheduler {
namespace scoring {

constexpr int64_t kOut = Leaderboard::kOut;

// The place of one of the greatest, each as likely as the others. REQUIRES: there are some.
size_t pick_greatest(std::span<const int64_t> values, Random& random) {
  const int64_t most = *std::max_element(values.begin(), values.end());
  const auto equals = std::count(values.begin(), values.end(), most);
  uint64_t skip = equals == 1 ? 0 : random.below(static_cast<uint64_t>(equals));
  size_t place = 0;
  while (values[place] != most || skip-- > 0) ++place;
  return place;
}

}  // namespace scoring

Scoring::Scoring(const Profile& profile, const Cluster& cluster, const Pod& pod)
    : cluster_(cluster) {
  for (const WeightedScore& one : profile.score) {
    std::unique_ptr<NodeScorer> scorer = one.plugin->pre_score(pod);
    if (scorer == nullptr) continue;
    Scorer added;
    added.plugin = one.plugin;
    added.weight = one.weight;
    added.scorer = std::move(scorer);
    scorers_.push_back(std::move(added));
  }
  grow(static_cast<NodeIndex>(cluster.slots()));
}

void Scoring::grow(NodeIndex node) {
  if (node < plain_.size()) return;
  const size_t size = std::max<size_t>(node + 1, cluster_.slots());
  plain_.resize(size);
  for (Scorer& one : scorers_) {
    if (one.scorer->is_local() && one.scorer->normalizes()) one.raw.resize(size);
  }
}

bool Scoring::is_current(const Pod& pod) const {
  return std::all_of(scorers_.begin(), scorers_.end(),
                     [&](const Scorer& one) { return one.scorer->is_current(pod); });
}

void Scoring::pod_added(const Pod& pod, NodeIndex node) {
  for (Scorer& one : scorers_) {
    if (!one.scorer->is_local()) one.scorer->pod_added(pod, node);
  }
}

void Scoring::pod_removed(const Pod& pod, NodeIndex node) {
  for (Scorer& one : scorers_) {
    if (!one.scorer->is_local()) one.scorer->pod_removed(pod, node);
  }
}

void Scoring::put(NodeIndex node) {
  grow(node);
  const Node& at = cluster_.at(node);
  int64_t sum = 0;
  for (Scorer& one : scorers_) {
    if (!one.scorer->is_local()) continue;
    const int64_t score = one.scorer->score(node, at);
    if (!one.scorer->normalizes()) {
      sum += one.weight * score;
      continue;
    }
    one.raw[node] = score;
    if (!one.first) one.first = score;
    if (score != *one.first) one.differs = true;
  }
  plain_.set(node, sum);
}

void Scoring::leave_out(NodeIndex node) {
  grow(node);
  plain_.set(node, scoring::kOut);
}

bool Scoring::is_simple() const {
  return std::all_of(scorers_.begin(), scorers_.end(), [](const Scorer& one) {
    return is_plain(one) || (one.scorer->is_local() && !one.differs);
  });
}

std::optional<NodeIndex> Scoring::best_of_all(Random& random) { return plain_.pick(random); }

void Scoring::ask(Scorer& one, std::span<const NodeIndex> feasible) {
  scratch_.resize(feasible.size());
  if (!one.scorer->is_local()) one.scorer->begin(feasible);
  for (size_t i = 0; i < feasible.size(); ++i) {
    const NodeIndex node = feasible[i];
    const bool kept = !one.raw.empty() && plain_[node] != scoring::kOut;
    scratch_[i] = kept ? one.raw[node] : one.scorer->score(node, cluster_.at(node));
  }
  if (one.scorer->normalizes()) one.scorer->normalize(feasible, scratch_);
}

NodeIndex Scoring::best_of(std::span<const NodeIndex> feasible, Random& random) {
  CHECK(!feasible.empty());
  if (feasible.size() == 1) return feasible[0];
  totals_.assign(feasible.size(), 0);
  bool plain_is_known = true;
  for (size_t i = 0; i < feasible.size(); ++i) {
    totals_[i] = plain_[feasible[i]];
    plain_is_known = plain_is_known && totals_[i] != scoring::kOut;
  }
  if (!plain_is_known) totals_.assign(feasible.size(), 0);
  for (Scorer& one : scorers_) {
    if (plain_is_known && (is_plain(one) || (one.scorer->is_local() && !one.differs))) continue;
    ask(one, feasible);
    for (size_t i = 0; i < feasible.size(); ++i) totals_[i] += one.weight * scratch_[i];
  }
  return feasible[scoring::pick_greatest(totals_, random)];
}

std::vector<PluginScores> Scoring::of(std::span<const NodeIndex> feasible) {
  std::vector<PluginScores> all;
  for (Scorer& one : scorers_) {
    ask(one, feasible);
    PluginScores scores{.plugin = one.plugin};
    for (const int64_t score : scratch_) scores.weighted.push_back(one.weight * score);
    all.push_back(std::move(scores));
  }
  return all;
}

}  // namespace proa::scheduler
