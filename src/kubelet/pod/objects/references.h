#pragma once

#include <compare>
#include <set>
#include <string>
#include <string_view>

#include "kubelet/model/pod.h"

namespace proa::kubelet {

// A config map or secret of the pod's namespace.
struct Reference {
  std::string_view resource = {};  // "configmaps", "secrets"
  std::string name = {};
  auto operator<=>(const Reference&) const = default;
};

// Those that a pod's spec names: in volumes, variables, image pull secrets. Indirect references (a
// claim's volume, its secret) are not included.
std::set<Reference> references_of(const Pod& pod);

}  // namespace proa::kubelet
