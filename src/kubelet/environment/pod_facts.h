#pragma once

#include <string>
#include <vector>

#include "api/quantity.h"
#include "base/result.h"
#include "kubelet/pods/pod.h"

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

// A field as env.valueFrom.fieldRef and downwardAPI volumes name it: "metadata.labels['app']",
// "spec.nodeName", "status.podIP". kBadRequest for those that there are not.
Result<std::string> field_value(const Pod& pod, const PodFacts& facts, std::string_view path);
// resourceFieldRef: {containerName, resource, divisor}. `container` is the one that asks, by a
// variable; absent when a volume asks, which always names one. Named ones are looked up in the pod.
Result<std::string> resource_value(const Pod& pod, const PodFacts& facts, api::View container,
                                   api::View reference);

}  // namespace proa::kubelet
