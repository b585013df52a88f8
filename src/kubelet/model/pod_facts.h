#pragma once

#include <string>
#include <vector>

#include "api/quantity.h"

namespace proa::kubelet {

// What pods may ask about themselves that is not in their object, or not yet.
struct PodFacts {
  std::string node_name = {};
  std::vector<std::string> host_addresses = {};  // the first is status.hostIP
  std::vector<std::string> addresses = {};       // of the pod; the first is status.podIP
  // Of the node: the bound of containers that have none.
  api::Quantity allocatable_cpu = {};
  api::Quantity allocatable_memory = {};
  api::Quantity allocatable_storage = {};
};

}  // namespace proa::kubelet
