#pragma once

#include <functional>
#include <string_view>

#include "apiserver/access/authz/authorizer.h"
#include "apiserver/access/authz/node/references.h"

namespace proa::apiserver {

// A request of a kubelet, and how to find out whether an object has to do with its node.
struct NodeQuestion {
  const Attributes& attributes;
  std::string_view node;
  const std::function<bool(Relative kind)>& is_related;  // the object that is asked for
};

// What a node may do, in upstream's words (plugin/pkg/auth/authorizer/node).
Verdict decide_for_node(const NodeQuestion& question);

}  // namespace proa::apiserver
