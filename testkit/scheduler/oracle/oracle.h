#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "api/object/object.h"
#include "testkit/scheduler/test_cluster.h"

namespace proa::testkit {

// The result of the default profile of kube-scheduler v1.36 for one pod.
struct Judgement {
  // The plugin whose PreFilter rejected all nodes; empty otherwise. If set, the maps are empty.
  std::string no_node_at_all = {};
  std::vector<std::string> pre_filter_reasons = {};
  // For each rejected node: the first rejecting plugin, in the default order of Filter plugins. A
  // node that NodeAffinity's PreFilter excludes is rejected by that plugin, since upstream does not
  // run the others on it.
  std::map<std::string, std::string> rejected_by = {};
  // Upstream's messages. Resources other than the common three are sorted by name: upstream's order
  // is that of a Go map.
  std::map<std::string, std::vector<std::string>> reasons = {};
  // Whether the rejection is Unschedulable (true) or UnschedulableAndUnresolvable (false).
  std::map<std::string, bool> preemption_may_help = {};
  // Feasible node -> plugin -> normalized score times weight. Plugins whose PreScore skips are
  // absent.
  std::map<std::string, std::map<std::string, int64_t>> scores = {};
  std::map<std::string, int64_t> totals = {};
  // A plugin failed, and upstream aborts the attempt: "PLUGIN: why". Everything else is empty.
  std::string error = {};
};

// Evaluates everything each time: no cached results, all nodes, no nominations. For tests only, and
// independent: it shares no code with src/scheduler, so that a common bug requires the same mistake
// twice.
Judgement judge(const TestCluster& cluster, const api::Object& pod);

// The plugins of the default profile that filter, and those that score, with their weights, in
// their order: "NodeUnschedulable NodeName ...", "TaintToleration:3 NodeAffinity:2 ...".
std::string default_filter_plugins();
std::string default_score_plugins();

}  // namespace proa::testkit
