#include "sim/scenarios/jobs/happenings.h"

#include <algorithm>

#include "base/strings.h"

namespace proa::sim {

Happenings::Happenings(Cluster& cluster, const std::vector<Resource>& resources) {
  for (const Resource& one : resources) {
    const client::Place place = cluster.world().place(one.group, one.name, Cluster::kNamespace, "");
    sources_.push_back({one.name, cluster.world().client().watch(place, {}, {}).value(), {}});
  }
}

std::vector<Happening> Happenings::news() {
  std::vector<Happening> news;
  for (Source& source : sources_) read(source, news);
  // Revisions are those of the whole store.
  std::stable_sort(news.begin(), news.end(),
                   [](const Happening& a, const Happening& b) { return a.revision < b.revision; });
  return news;
}

void Happenings::read(Source& source, std::vector<Happening>& news) {
  // A moment that has passed: nothing is waited for.
  const Until now{.deadline = Steady::min(), .stop = {}};
  while (true) {
    const std::vector<client::Event> events = source.watch->next(now).value();
    if (events.empty()) return;
    for (const client::Event& event : events) {
      if (event.type == client::EventType::kBookmark) continue;
      const api::Metadata& metadata = event.object->metadata();
      const bool gone = event.type == client::EventType::kDeleted;
      api::ObjectPtr& known = source.objects[std::string(metadata.name)];
      news.push_back({.resource = source.resource,
                      .revision = parse_int(metadata.resource_version).value_or(0),
                      .before = known,
                      .after = gone ? nullptr : event.object});
      known = news.back().after;
    }
  }
}

}  // namespace proa::sim
