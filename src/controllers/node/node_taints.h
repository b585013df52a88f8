#pragma once

#include <vector>

#include "api/object/edit.h"
#include "controllers/node/node_facts.h"

// What is written about nodes.

namespace proa::controllers::nodes {

// Which taint is to drive pods away from a node. At most one of the two is there.
enum class DrivenBy : uint8_t {
  kAsItIs,  // whatever is there stays
  kNothing,
  kNotReady,
  kUnreachable,
};

struct TaintChange {
  std::vector<Taint> add = {};
  std::vector<Taint> remove = {};

  bool empty() const { return add.empty() && remove.empty(); }
};

// What has to change so that a node's taints say what its conditions do. Taints of others are left
// alone.
TaintChange plan_taints(const NodeFacts& node, DrivenBy wanted);
void change_taints(api::Edit node, const TaintChange& change, Time now);

// Says of all that only its kubelet can know that nobody does.
void set_unknown(api::Edit node, Time now);

}  // namespace proa::controllers::nodes
