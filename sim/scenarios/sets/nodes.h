#pragma once

#include <string>
#include <string_view>

#include "sim/cluster.h"

// What administrators do with nodes, and what it means to those who want to be there.

namespace proa::sim {

// Whether a pod may come to a node, and whether one that is there may stay.
struct NodeVerdict {
  bool may_start = true;
  bool may_stay = true;
};
// For daemons that want a pool; empty: any node.
NodeVerdict judge_node(const api::Object& node, std::string_view pool);

void cordon(Cluster& cluster, const std::string& node, bool closed);
// `pool`: in quotes, or null.
void put_in_pool(Cluster& cluster, const std::string& node, std::string_view pool);
// Besides what others say of the node. `effect`: empty for none.
void taint(Cluster& cluster, const api::Object& node, std::string_view effect);
// One that was removed; in pool "a".
void bring_back(Cluster& cluster, const std::string& node);

}  // namespace proa::sim
