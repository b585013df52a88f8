#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "api/object/object.h"
#include "testkit/scheduler/test_cluster.h"

namespace proa::testkit {

// What the default profile of kube-scheduler v1.36 says about one pod.
struct Judgement {
  // A PreFilter said no for all nodes: its plugin name; empty otherwise. Then the maps are empty.
  std::string no_node_at_all = {};
  std::vector<std::string> pre_filter_reasons = {};
  // Of each node that is rejected: the first plugin that does so, in the default order of Filter
  // plugins. A node that NodeAffinity's PreFilter leaves out is rejected by that, whatever else is
  // wrong with it: upstream never looks at it.
  std::map<std::string, std::string> rejected_by = {};
  // In upstream's words. Resources that are neither of the common three come by name: upstream has
  // them in the order of a Go map.
  std::map<std::string, std::vector<std::string>> reasons = {};
  // Whether the rejection is Unschedulable (true) or UnschedulableAndUnresolvable (false).
  std::map<std::string, bool> preemption_may_help = {};
  // Feasible node -> plugin -> normalized score times weight. Plugins whose PreScore skips are left
  // out.
  std::map<std::string, std::map<std::string, int64_t>> scores = {};
  std::map<std::string, int64_t> totals = {};
  // A plugin failed, and upstream gives up the attempt: "PLUGIN: why". All else is empty then.
  std::string error = {};
};

// Evaluates everything each time: no cached results, all nodes, no nominations. For tests
// only, and written for itself: it shares no code with src/scheduler, so that both are wrong in the
// same way only where both authors were.
Judgement judge(const TestCluster& cluster, const api::Object& pod);

// The plugins of the default profile that filter, and those that score, with their weights, in
// their order: "NodeUnschedulable NodeName ...", "TaintToleration:3 NodeAffinity:2 ...".
std::string default_filter_plugins();
std::string default_score_plugins();

}  // namespace proa::testkit
