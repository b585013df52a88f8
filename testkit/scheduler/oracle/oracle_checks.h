#pragma once

#include <map>
#include <string>

#include "base/strings.h"
#include "testkit/scheduler/builders.h"
#include "testkit/scheduler/oracle/oracle.h"

// Helpers of the oracle's own tests.

namespace proa::testkit::oracle_checks {

using Told = std::map<std::string, std::string>;
using Points = std::map<std::string, int64_t>;

// With large capacity.
inline NodeBuilder roomy(std::string_view name) {
  return make_node(name).capacity({{"cpu", "64"}, {"memory", "64Gi"}, {"pods", "110"}});
}

// For each rejected node: "PLUGIN: REASON, REASON", prefixed with "(never) " if preemption does not
// help. For all nodes: under "*". Feasible nodes are absent.
inline Told told(const TestCluster& cluster, const PodBuilder& pod) {
  const Judgement judgement = judge(cluster, *pod.object());
  Told told;
  if (!judgement.error.empty()) told["error"] = judgement.error;
  if (!judgement.no_node_at_all.empty())
    told["*"] = judgement.no_node_at_all + ": " + join(judgement.pre_filter_reasons, ", ");
  for (const auto& [node, plugin] : judgement.rejected_by) {
    told[node] = (judgement.preemption_may_help.at(node) ? "" : "(never) ") + plugin + ": " +
                 join(judgement.reasons.at(node), ", ");
  }
  return told;
}

// A plugin's score of each feasible node, before its weight; empty if it is skipped.
inline Points points(const TestCluster& cluster, const PodBuilder& pod, const std::string& plugin,
                     int64_t weight = 1) {
  Points points;
  for (const auto& [node, scores] : judge(cluster, *pod.object()).scores) {
    const auto at = scores.find(plugin);
    if (at != scores.end()) points[node] = at->second / weight;
  }
  return points;
}

}  // namespace proa::testkit::oracle_checks
