#pragma once

#include "kinds/core/quota/usage/amounts.h"

namespace proa::kinds::quota {

// The resources that a pod requests, by container resource name ("cpu", "hugepages-2Mi").
struct PodAmounts {
  Amounts requests;
  Amounts limits;
};

// Containers, init containers and sidecars as they run together, pod-level resources, and overhead.
// During a resize, the larger of the actual and the desired amounts.
PodAmounts amounts_of_pod(api::View pod);

// Whether the pod has pod-level resources.
bool has_pod_level_resources(api::View spec);

}  // namespace proa::kinds::quota
