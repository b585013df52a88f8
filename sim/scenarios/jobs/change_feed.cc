#include "sim/scenarios/jobs/change_feed.h"

#include <algorithm>

#include "base/strings.h"

namespace proa::sim {

ChangeFeed::ChangeFeed(Cluster& cluster, const std::vector<Resource>& resources) {
  for (const Resource& one : resources) {
    const client::Place place = cluster.world().place(one.group, one.name, Cluster::kNamespace, "");
    sources_.push_back({one.name, cluster.world().client().watch(place, {}, {}).value(), {}});
  }
}

std::vector<ObjectChange> ChangeFeed::take() {
  std::vector<ObjectChange> changes;
  for (Source& source : sources_) read(source, changes);
  // Revisions are global to the store.
  std::stable_sort(
      changes.begin(), changes.end(),
      [](const ObjectChange& a, const ObjectChange& b) { return a.revision < b.revision; });
  return changes;
}

void ChangeFeed::read(Source& source, std::vector<ObjectChange>& changes) {
  // A deadline in the past: does not block.
  const Until now{.deadline = Steady::min(), .stop = {}};
  while (true) {
    const std::vector<client::Event> events = source.watch->next(now).value();
    if (events.empty()) return;
    for (const client::Event& event : events) {
      if (event.type == client::EventType::kBookmark) continue;
      const api::Metadata& metadata = event.object->metadata();
      const bool gone = event.type == client::EventType::kDeleted;
      api::ObjectPtr& known = source.objects[std::string(metadata.name)];
      changes.push_back({.resource = source.resource,
                         .revision = parse_int(metadata.resource_version).value_or(0),
                         .before = known,
                         .after = gone ? nullptr : event.object});
      known = changes.back().after;
    }
  }
}

}  // namespace proa::sim
