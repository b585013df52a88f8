#pragma once

#include <string>
#include <string_view>

#include "sim/cluster.h"

// Administrators' actions on nodes, and their effect on DaemonSets.

namespace proa::sim {

// Whether a pod may be created on a node, and whether an existing one may stay.
struct NodeVerdict {
  bool may_start = true;
  bool may_stay = true;
};
// For DaemonSets with a node pool; empty: any node.
NodeVerdict judge_node(const api::Object& node, std::string_view pool);

void cordon(Cluster& cluster, const std::string& node, bool closed);
// `pool` is quoted, or null.
void put_in_pool(Cluster& cluster, const std::string& node, std::string_view pool);
// Keeps the taints of others. `effect`: empty for none.
void taint(Cluster& cluster, const api::Object& node, std::string_view effect);
// Recreates a deleted node, in pool "a".
void bring_back(Cluster& cluster, const std::string& node);

}  // namespace proa::sim
