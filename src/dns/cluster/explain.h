#pragma once

#include <string>
#include <string_view>

#include "dns/cluster/lookup.h"

namespace proa::dns {

struct ExplainRequest {
  std::string_view name;
  Type type = Type::kA;
  // Of the pod that asks: its resolver tries names with fewer than five dots below the cluster's
  // domains first.
  std::string_view name_space = "default";
};

// Which record answers a name, and why, for people: each name that a pod's resolver would try,
// until one exists. kInvalid if the name is none.
Result<std::string> explain(const Index& index, const Zone& zone, const ExplainRequest& request);

}  // namespace proa::dns
