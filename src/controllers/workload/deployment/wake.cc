#include "controllers/workload/deployment/wake.h"

#include "controllers/framework/owners.h"
#include "controllers/workload/deployment/facts.h"

namespace proa::controllers::deployments {

void wake_for_pod(const client::Change& pod, const client::Cache& deployments,
                  const client::Cache& sets, client::WorkQueue& queue) {
  if (pod.after != nullptr) return;
  const auto* set_owner = controller_of(pod.before, "ReplicaSet");
  if (set_owner == nullptr) return;
  const api::ObjectPtr set = sets.get({pod.key.name_space, std::string(set_owner->name)});
  const auto* owner = controller_of(set, "Deployment");
  if (owner == nullptr) return;
  const client::Key key{pod.key.name_space, std::string(owner->name)};
  const api::ObjectPtr deployment = deployments.get(key);
  if (deployment != nullptr && !deployment_facts(*deployment).rolling) queue.add(key);
}

}  // namespace proa::controllers::deployments
