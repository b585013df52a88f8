#include "controllers/workload/deployment/wake.h"

#include "controllers/workload/deployment/facts.h"
#include "controllers/workload/replicas/wake.h"

namespace proa::controllers::deployments {
namespace wake {

using api::Metadata;
using client::Key;

const Metadata::Owner* controller_of_kind(const api::ObjectPtr& object, std::string_view kind) {
  const Metadata::Owner* owner = object == nullptr ? nullptr : replicas::controller_of(*object);
  return owner != nullptr && owner->kind == kind ? owner : nullptr;
}

void wake_adopters(const api::Object& orphan, const client::Cache& deployments,
                   client::WorkQueue& queue) {
  const Metadata& metadata = orphan.metadata();
  for (const api::ObjectPtr& deployment : deployments.list(metadata.name_space)) {
    if (deployment_facts(*deployment).selector.matches(metadata.labels)) {
      queue.add(Key::of(*deployment));
    }
  }
}

}  // namespace wake

void wake_for_set(const client::Change& set, const client::Cache& deployments,
                  client::WorkQueue& queue) {
  for (const api::ObjectPtr& state : {set.before, set.after}) {
    if (const auto* owner = wake::controller_of_kind(state, "Deployment")) {
      queue.add({set.key.name_space, std::string(owner->name)});
    }
  }
  if (set.after == nullptr || set.after->metadata().being_deleted) return;
  if (replicas::controller_of(*set.after) != nullptr) return;
  const bool news = set.before == nullptr || replicas::controller_of(*set.before) != nullptr ||
                    set.before->metadata().labels != set.after->metadata().labels;
  if (news) wake::wake_adopters(*set.after, deployments, queue);
}

void wake_for_pod(const client::Change& pod, const client::Cache& deployments,
                  const client::Cache& sets, client::WorkQueue& queue) {
  if (pod.after != nullptr) return;
  const auto* set_owner = wake::controller_of_kind(pod.before, "ReplicaSet");
  if (set_owner == nullptr) return;
  const api::ObjectPtr set = sets.get({pod.key.name_space, std::string(set_owner->name)});
  const auto* owner = wake::controller_of_kind(set, "Deployment");
  if (owner == nullptr) return;
  const client::Key key{pod.key.name_space, std::string(owner->name)};
  const api::ObjectPtr deployment = deployments.get(key);
  if (deployment != nullptr && !deployment_facts(*deployment).rolling) queue.add(key);
}

}  // namespace proa::controllers::deployments
