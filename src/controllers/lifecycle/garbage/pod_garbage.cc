#include "controllers/lifecycle/garbage/pod_garbage.h"

#include <algorithm>

#include "api/object/edit.h"
#include "api/object/view.h"
#include "controllers/framework/conditions.h"
#include "json/print.h"
#include "json/text/scan.h"

namespace proa::controllers {
namespace pod_garbage {

using json::Scan;

constexpr std::string_view kOutOfService = "node.kubernetes.io/out-of-service";

// Upstream's order of pods that go first.
struct Rank {
  bool stays_longer = false;  // was not evicted
  std::string_view created;   // as text: times of the API compare like their texts
  std::string_view name;
  auto operator<=>(const Rank&) const = default;
};

Rank rank_of(const api::Object& pod) {
  const std::string_view status = Scan::find(pod.json(), "status");
  const bool evicted = Scan::unquoted(Scan::find(status, "phase")) == "Failed" &&
                       Scan::unquoted(Scan::find(status, "reason")) == "Evicted";
  const std::string_view metadata = Scan::find(pod.json(), "metadata");
  return {!evicted, Scan::unquoted(Scan::find(metadata, "creationTimestamp")), pod.metadata().name};
}

// Only this condition: a strategic patch leaves the others alone.
void put_disruption(api::Edit status, api::View old, int64_t generation, Time now) {
  constexpr std::string_view kType = "DisruptionTarget";
  const api::Edit conditions = status.array("conditions");
  // It may hold already; then since when stays as it was.
  if (const api::View one = find_condition(old, kType)) {
    conditions.push(one.value()->copy(conditions.arena()));
  }
  set_condition(
      status, {kType, "True", "DeletionByPodGC", "PodGC: node no longer exists", generation}, now);
}

}  // namespace pod_garbage

PodSketch sketch_of(const api::Object& pod) {
  using json::Scan;
  PodSketch sketch;
  sketch.node = Scan::unquoted(Scan::find(Scan::find(pod.json(), "spec"), "nodeName"));
  sketch.phase = Scan::unquoted(Scan::find(Scan::find(pod.json(), "status"), "phase"));
  sketch.being_deleted = pod.metadata().being_deleted;
  if (sketch.being_deleted) {
    const std::string_view grace =
        Scan::find(Scan::find(pod.json(), "metadata"), "deletionGracePeriodSeconds");
    sketch.has_grace = !grace.empty() && grace != "0";
  }
  return sketch;
}

bool is_marked_out_of_service(const api::Object& node) {
  const std::string_view spec = json::Scan::find(node.json(), "spec");
  json::Scan taints(json::Scan::find(spec, "taints"));
  while (const auto taint = taints.next_item()) {
    const std::string_view key = json::Scan::find(*taint, "key");
    if (json::Scan::unquoted(key) == pod_garbage::kOutOfService) return true;
  }
  return false;
}

bool is_out_of_service(const api::Object& node) {
  if (!is_marked_out_of_service(node)) return false;
  const Result<json::Document> document = node.document();
  return document && !condition_holds(api::View(document->root())["status"], "Ready");
}

std::vector<api::ObjectPtr> surplus_of(std::vector<api::ObjectPtr> finished, size_t most) {
  if (finished.size() <= most) return {};
  const size_t surplus = finished.size() - most;
  std::vector<std::pair<pod_garbage::Rank, api::ObjectPtr>> ranked;
  ranked.reserve(finished.size());
  for (api::ObjectPtr& pod : finished) {
    const pod_garbage::Rank rank = pod_garbage::rank_of(*pod);
    ranked.emplace_back(rank, std::move(pod));
  }
  // Stable: two of one name in two namespaces come in the order in which they were given.
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<api::ObjectPtr> first;
  for (size_t i = 0; i < surplus; ++i) first.push_back(std::move(ranked[i].second));
  return first;
}

std::string failed_patch(const api::Object& pod, bool node_is_gone, Time now) {
  const int64_t generation = pod.metadata().generation;
  json::Document document;
  document.root() = json::Value::object();
  const api::Edit patch(document);
  patch.object("metadata").set("uid", pod.metadata().uid);  // another pod of that name is not meant
  const api::Edit status = patch.object("status");
  status.set("phase", "Failed");
  if (generation > 0) status.set("observedGeneration", generation);
  if (node_is_gone) {
    const Result<json::Document> before = pod.document();
    const api::View old = before ? api::View(before->root())["status"] : api::View();
    pod_garbage::put_disruption(status, old, generation, now);
  }
  return json::print(document.root());
}

}  // namespace proa::controllers
