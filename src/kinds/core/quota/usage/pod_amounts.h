#pragma once

#include "kinds/core/quota/usage/amounts.h"

namespace proa::kinds::quota {

// What a pod asks for, under the names of its containers' resources ("cpu", "hugepages-2Mi").
struct PodAmounts {
  Amounts requests;
  Amounts limits;
};

// Containers, init containers and sidecars as they run together; what the pod says for all of them;
// and its overhead. While it is resized, what it has and what it shall have, whichever is more.
PodAmounts amounts_of_pod(api::View pod);

// Whether the pod says something for all of its containers together.
bool has_pod_level_resources(api::View spec);

}  // namespace proa::kinds::quota
