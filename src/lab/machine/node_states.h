#pragma once

#include <map>
#include <string>

namespace proa::lab {

struct NodeState {
  bool ready = false;
  std::string why_not = {};
};
using NodeStates = std::map<std::string, NodeState, std::less<>>;

// The Nodes of a cluster, by name, from what `proa status --output=json` says. Empty if that is no
// such text.
NodeStates node_states(const std::string& text);

}  // namespace proa::lab
