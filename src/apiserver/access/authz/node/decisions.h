#pragma once

#include <functional>
#include <string_view>

#include "apiserver/access/authz/authorizer.h"
#include "apiserver/access/authz/node/references.h"

namespace proa::apiserver {

// A kubelet's request, and a predicate that relates the requested object to its node.
struct NodeQuestion {
  const Attributes& attributes;
  std::string_view node;
  // whether the requested object is related to the node
  const std::function<bool(Relative kind)>& is_related;
};

// Decides what a node may do, with upstream's messages (plugin/pkg/auth/authorizer/node).
Verdict decide_for_node(const NodeQuestion& question);

}  // namespace proa::apiserver
