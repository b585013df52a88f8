#include "controllers/workload/replicas/wake.h"

#include "controllers/pods/pod_facts.h"

namespace proa::controllers::replicas {
namespace wake {

using api::Metadata;

const Metadata::Owner* controller_of_kind(const api::ObjectPtr& pod, const SetsOf& kind) {
  const Metadata::Owner* owner = pod == nullptr ? nullptr : controller_of(*pod);
  return owner != nullptr && owner->kind == kind.resource.type->name ? owner : nullptr;
}

bool same(const Metadata::Owner* a, const Metadata::Owner* b) {
  return a == nullptr || b == nullptr ? a == b : a->uid == b->uid;
}

// Pods change often, and mostly in what no set looks at: their address, their containers.
bool matters(const api::Object& before, const api::Object& after) {
  const PodFacts& was = pod_facts(before);
  const PodFacts& is = pod_facts(after);
  return was.being_deleted != is.being_deleted || was.finished() != is.finished() ||
         was.ready != is.ready || was.ready_since != is.ready_since ||
         before.metadata().labels != after.metadata().labels;
}

void wake_adopters(const api::Object& orphan, const client::Cache& sets, const SetsOf& kind,
                   client::WorkQueue& queue) {
  const Metadata& metadata = orphan.metadata();
  for (const api::ObjectPtr& set : sets.list(metadata.name_space)) {
    if (set_facts(*set, kind.selector).selector.matches(metadata.labels)) {
      queue.add(client::Key::of(*set));
    }
  }
}

}  // namespace wake

const api::Metadata::Owner* controller_of(const api::Object& object) {
  for (const api::Metadata::Owner& owner : object.metadata().owners) {
    if (owner.controller) return &owner;
  }
  return nullptr;
}

void wake_sets(const client::Change& pod, const client::Cache& sets, const SetsOf& kind,
               client::WorkQueue& queue) {
  const api::Metadata::Owner* was = wake::controller_of_kind(pod.before, kind);
  const api::Metadata::Owner* is = wake::controller_of_kind(pod.after, kind);
  const bool moved = !wake::same(was, is);
  const bool lives = pod.before != nullptr && pod.after != nullptr;
  if (was != nullptr && moved) queue.add({pod.key.name_space, std::string(was->name)});
  if (is != nullptr && (moved || !lives || wake::matters(*pod.before, *pod.after))) {
    queue.add({pod.key.name_space, std::string(is->name)});
  }
  if (pod.after == nullptr || pod.after->metadata().being_deleted) return;
  if (controller_of(*pod.after) != nullptr) return;
  const bool news = pod.before == nullptr || controller_of(*pod.before) != nullptr ||
                    pod.before->metadata().labels != pod.after->metadata().labels;
  if (news) wake::wake_adopters(*pod.after, sets, kind, queue);
}

}  // namespace proa::controllers::replicas
