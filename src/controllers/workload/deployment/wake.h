#pragma once

#include "client/informer/cache.h"
#include "client/informer/work_queue.h"

namespace proa::controllers::deployments {

// Whose business the change of a pod is: a deployment may wait for old pods to be gone before new
// ones come (Recreate).
void wake_for_pod(const client::Change& pod, const client::Cache& deployments,
                  const client::Cache& sets, client::WorkQueue& queue);

}  // namespace proa::controllers::deployments
