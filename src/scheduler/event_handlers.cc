#include "scheduler/event_handlers.h"

#include <array>

namespace proa::scheduler {
namespace event_sources {

struct Source {
  std::string_view group;
  std::string_view resource;
  EventResource event;
};

constexpr std::array kOthers = {
    Source{"", "persistentvolumes", EventResource::kPersistentVolume},
    Source{"", "persistentvolumeclaims", EventResource::kPersistentVolumeClaim},
    Source{"storage.k8s.io", "storageclasses", EventResource::kStorageClass},
    Source{"storage.k8s.io", "csinodes", EventResource::kCsiNode},
    Source{"storage.k8s.io", "csidrivers", EventResource::kCsiDriver},
    Source{"storage.k8s.io", "csistoragecapacities", EventResource::kCsiStorageCapacity},
    Source{"storage.k8s.io", "volumeattachments", EventResource::kVolumeAttachment},
};

}  // namespace event_sources

void EventHandlers::listen(client::Informers& informers, std::function<void()> wake) {
  wake_ = std::move(wake);
  informers.of("", "nodes").add_handler([this](const client::Change& c) { node_changed(c); });
  informers.of("", "pods").add_handler([this](const client::Change& c) { pod_changed(c); });
  for (const event_sources::Source& source : event_sources::kOthers) {
    informers.of(source.group, source.resource)
        .add_handler([this, event = source.event](const client::Change& change) {
          object_changed(event, change);
        });
  }
}

void EventHandlers::pod_changed(const client::Change& change) {
  // Deleted and recreated between two polls: the old pod is gone.
  const bool is_another = change.before != nullptr && change.after != nullptr &&
                          change.before->metadata().uid != change.after->metadata().uid;
  if (change.after == nullptr || is_another) pod_deleted(*change.before);
  if (change.after == nullptr) return wake_();
  const PodPtr pod = reader_.read(change.after);
  if (pod->finished) {
    pod_deleted(*change.after);
  } else if (!pod->node.empty()) {
    const PodPtr before = cluster_.pod(pod->uid());
    assigned_pod_changed(before.get(), pod);
  } else {
    pending_pod_changed(pod);
  }
  wake_();
}

void EventHandlers::assigned_pod_changed(const Pod* before, const PodPtr& after) {
  const bool was_decided_here = before != nullptr && cluster_.is_assumed(after->uid());
  queue_.remove(after->uid());
  nominations_.remove(after->uid());
  if (before == nullptr || was_decided_here) {
    // Told even of those that were decided here: pods may want to be near it.
    cluster_.put_pod(after);
    return queue_.tell(
        {.resource = EventResource::kAssignedPod, .action = action::kAdd, .new_pod = after.get()});
  }
  const PodPtr known = cluster_.pod(after->uid());
  const uint32_t changes = pod_changes(*known, *after);
  cluster_.put_pod(after);
  queue_.tell({.resource = EventResource::kAssignedPod,
               .action = changes != 0 ? changes : action::kUpdateOther,
               .old_pod = known.get(),
               .new_pod = after.get()});
}

void EventHandlers::pending_pod_changed(const PodPtr& pod) {
  if (profiles_.find(pod->shape->scheduler_name) == nullptr) return;
  // Assumed on a node already: this event is older than its binding.
  if (cluster_.is_assumed(pod->uid())) return;
  nomination_changed(pod);
  if (pod->being_deleted) {
    queue_.remove(pod->uid());
    return end_nomination(pod->uid());
  }
  queue_.put(pod);
}

void EventHandlers::nomination_changed(const PodPtr& pod) {
  const PodPtr before = nominations_.find(pod->uid());
  const api::NodeName known(nominations_.node_of(pod->uid()));
  if (before == nullptr || pod->nominated_node == before->nominated_node) {
    // A nomination that is decided but not yet written stays.
    return nominations_.set(pod, pod->nominated_node.empty() ? known : pod->nominated_node);
  }
  nominations_.set(pod, pod->nominated_node);
  if (known != pod->nominated_node) notify_freed(*before, known);
}

void EventHandlers::end_nomination(api::UidView uid) {
  const PodPtr nominated = nominations_.find(uid);
  if (nominated == nullptr) return;
  const api::NodeName node(nominations_.node_of(uid));
  nominations_.remove(uid);
  notify_freed(*nominated, node);
}

void EventHandlers::notify_freed(Pod nominated, api::NodeName node) {
  nominated.nominated_node = std::move(node);
  queue_.tell(
      {.resource = EventResource::kAssignedPod, .action = action::kDelete, .old_pod = &nominated},
      nominated.priority());
}

void EventHandlers::pod_deleted(const api::Object& object) {
  const api::UidView uid(object.metadata().uid);
  reader_.forget_one();
  queue_.remove(uid);
  const PodPtr placed = cluster_.pod(uid);
  end_nomination(uid);
  if (placed == nullptr) return;
  cluster_.remove_pod(uid);
  queue_.tell({.resource = EventResource::kAssignedPod,
               .action = action::kDelete,
               .old_pod = placed.get()});
}

void EventHandlers::node_changed(const client::Change& change) {
  const api::NodeNameView name(change.key.name);
  if (change.after == nullptr) {
    const std::optional<NodeIndex> index = cluster_.find(name);
    if (!index) return;
    const std::shared_ptr<const NodeFacts> before = cluster_.at(*index).shared_facts();
    cluster_.remove_node(name);
    queue_.tell(
        {.resource = EventResource::kNode, .action = action::kDelete, .old_node = before.get()});
    return wake_();
  }
  std::shared_ptr<const NodeFacts> before;
  if (const auto index = cluster_.find(name)) {
    before = cluster_.at(*index).shared_facts();
  }
  cluster_.put_node(change.after);
  const NodeFacts& after = cluster_.at(*cluster_.find(name)).facts();
  const uint32_t changes = before == nullptr ? action::kAdd : node_changes(*before, after);
  if (changes == 0) return;
  queue_.tell({.resource = EventResource::kNode,
               .action = changes,
               .old_node = before.get(),
               .new_node = &after});
  wake_();
}

void EventHandlers::object_changed(EventResource resource, const client::Change& change) {
  const uint32_t what = change.before == nullptr  ? action::kAdd
                        : change.after == nullptr ? action::kDelete
                                                  : action::kUpdateOther;
  queue_.tell({.resource = resource,
               .action = what,
               .old_object = change.before.get(),
               .new_object = change.after.get()});
  wake_();
}

}  // namespace proa::scheduler
