#pragma once

#include <vector>

#include "api/object/edit.h"
#include "controllers/node/node_facts.h"

// Updates of Node objects.

namespace proa::controllers::nodes {

// Which NoExecute taint a node should have; at most one of the two.
enum class DrivenBy : uint8_t {
  kAsItIs,  // unchanged
  kNothing,
  kNotReady,
  kUnreachable,
};

struct TaintChange {
  std::vector<Taint> add = {};
  std::vector<Taint> remove = {};

  bool empty() const { return add.empty() && remove.empty(); }
};

// The changes that make a node's taints reflect its conditions. Taints of others are not touched.
TaintChange plan_taints(const NodeFacts& node, DrivenBy wanted);
void change_taints(api::Edit node, const TaintChange& change, Time now);

// Sets all conditions that only the kubelet can know to Unknown.
void set_unknown(api::Edit node, Time now);

}  // namespace proa::controllers::nodes
