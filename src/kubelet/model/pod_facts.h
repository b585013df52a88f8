#pragma once

#include <string>
#include <vector>

#include "api/object/names.h"
#include "api/quantity.h"

namespace proa::kubelet {

// Facts for the downward API that are not in the pod's object, or not yet.
struct PodFacts {
  api::NodeName node_name = {};
  std::vector<std::string> host_addresses = {};  // the first is status.hostIP
  std::vector<std::string> addresses = {};       // of the pod; the first is status.podIP
  // Of the node: the limits of containers without their own.
  api::Quantity allocatable_cpu = {};
  api::Quantity allocatable_memory = {};
  api::Quantity allocatable_storage = {};
};

}  // namespace proa::kubelet
