#pragma once

#include "client/informer/cache.h"
#include "client/informer/work_queue.h"

namespace proa::controllers::deployments {

// Queues the Deployment of a pod: with Recreate it waits until old pods are gone.
void wake_for_pod(const client::Change& pod, const client::Cache& deployments,
                  const client::Cache& sets, client::WorkQueue& queue);

}  // namespace proa::controllers::deployments
