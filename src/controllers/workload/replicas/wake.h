#pragma once

#include "api/schema/resource.h"
#include "client/informer/cache.h"
#include "client/informer/work_queue.h"
#include "controllers/workload/replicas/set_facts.h"

namespace proa::controllers::replicas {

// Null when nobody controls it.
const api::Metadata::Owner* controller_of(const api::Object& object);

// Of which kind the sets are.
struct SetsOf {
  const api::Resource& resource;
  SelectorForm selector;
};
// Whose business the change of a pod is: the set that controls it, or did, when something changed
// that sets look at; of a pod that nobody controls, the sets that want to have it.
void wake_sets(const client::Change& pod, const client::Cache& sets, const SetsOf& kind,
               client::WorkQueue& queue);

}  // namespace proa::controllers::replicas
