#pragma once

#include "client/informer/cache.h"
#include "client/informer/work_queue.h"

namespace proa::controllers::deployments {

// Whose business the change of a ReplicaSet is: the deployment that controls it, or did; of a set
// that nobody controls, the deployments that want to have it.
void wake_for_set(const client::Change& set, const client::Cache& deployments,
                  client::WorkQueue& queue);

// Who waits for old pods to be gone before new ones come (Recreate).
void wake_for_pod(const client::Change& pod, const client::Cache& deployments,
                  const client::Cache& sets, client::WorkQueue& queue);

}  // namespace proa::controllers::deployments
