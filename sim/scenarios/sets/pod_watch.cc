#include "sim/scenarios/sets/pod_watch.h"

namespace proa::sim {

bool PodChange::leaves() const {
  if (before == nullptr || before->metadata().being_deleted) return false;
  return after == nullptr || after->metadata().being_deleted;
}

void PodWatch::begin(Cluster& cluster) {
  watch_ = cluster.world()
               .client()
               .watch(cluster.world().place("", "pods", Cluster::kNamespace, ""), {}, {})
               .value();
  follow([](const PodChange&, const Pods&) {});
}

void PodWatch::follow(const Listener& tell) {
  // A deadline in the past: does not block.
  const Until now{.deadline = Steady::min(), .stop = {}};
  while (true) {
    const std::vector<client::Event> events = watch_->next(now).value();
    if (events.empty()) return;
    for (const client::Event& event : events) apply(event, tell);
  }
}

void PodWatch::apply(const client::Event& event, const Listener& tell) {
  if (event.type == client::EventType::kBookmark) return;
  const std::string name(event.object->metadata().name);
  const bool gone = event.type == client::EventType::kDeleted;
  const auto found = pods_.find(name);
  tell({.before = found == pods_.end() ? nullptr : found->second,
        .after = gone ? nullptr : event.object},
       pods_);
  if (gone) {
    pods_.erase(name);
  } else {
    pods_[name] = event.object;
  }
}

}  // namespace proa::sim
