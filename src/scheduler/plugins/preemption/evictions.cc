#include "scheduler/plugins/preemption/evictions.h"

#include <atomic>

#include "api/object/edit.h"
#include "base/log.h"
#include "json/print.h"

namespace proa::scheduler {
namespace evictions {

const Log kLog{"scheduler"};

// Enough to share commits while others are on their way to the disk; more threads than that only
// push each other out of the processor's caches.
constexpr size_t kVictimsAtOnce = 64;

json::Document disruption_patch(const Pod& victim, const std::string& scheduler, Time now) {
  json::Document patch({}, json::Value::object());
  const api::Edit root(patch);
  root.object("metadata").set("uid", victim.uid());
  const api::Edit condition = root.object("status").array("conditions").push_object();
  condition.set("type", "DisruptionTarget");
  condition.set("status", "True");
  condition.set("reason", "PreemptionByScheduler");
  condition.set("message", scheduler + ": preempting to accommodate a higher priority pod");
  condition.set("observedGeneration", victim.object->metadata().generation);
  condition.set("lastTransitionTime", format_time(now));
  return patch;
}

json::Document end_nomination_patch(const Pod& pod) {
  json::Document patch;
  patch.root() = json::Value::object();
  const api::Edit root(patch);
  root.object("metadata").set("uid", pod.uid());
  root.object("status").set("nominatedNodeName", json::Value());  // null takes it away
  return patch;
}

}  // namespace evictions

// What one pod waits for.
struct Evictions::Batch {
  PodPtr pod;
  std::string node;
  std::atomic<size_t> left = 0;
  std::atomic<bool> failed = false;
};

Evictions::Evictions(const PluginContext& context)
    : context_(context),
      pods_(*context.schema.find_resource("", "v1", "pods")),
      outbox_(context.pool, evictions::kVictimsAtOnce) {}

bool Evictions::is_under_way(std::string_view uid) const {
  const MutexLock lock(mutex_);
  return !under_way_.empty() && under_way_.contains(std::string(uid));
}

void Evictions::begin(const PodPtr& pod, std::string_view node,
                      const std::vector<PodPtr>& victims) {
  std::vector<PodPtr> to_evict;
  for (const PodPtr& victim : victims) {
    if (!victim->being_deleted) to_evict.push_back(victim);
  }
  if (to_evict.empty()) return;
  {
    const MutexLock lock(mutex_);
    under_way_.emplace(pod->uid());
  }
  auto batch = std::make_shared<Batch>();
  batch->pod = pod;
  batch->node = node;
  batch->left = to_evict.size();
  for (const PodPtr& victim : to_evict) {
    outbox_.post(victim->uid(), [this, batch, victim] {
      const Result<void> evicted = evict(*batch->pod, batch->node, *victim);
      if (!evicted.ok()) {
        batch->failed = true;
        evictions::kLog.warn("evicting a preemption victim failed",
                             {{"pod", victim->key().str()},
                              {"for", batch->pod->key().str()},
                              {"error", evicted.status()}});
      }
      if (--batch->left == 0) finish(*batch);
    });
  }
}

void Evictions::finish(const Batch& batch) {
  std::string uid(batch.pod->uid());
  {
    const MutexLock lock(mutex_);
    under_way_.erase(uid);
  }
  // Events of victims that went meanwhile may have brought it to the gate.
  if (batch.failed) return context_.retry(std::move(uid));
  context_.ask_gate(std::move(uid));
}

void Evictions::end_nomination(const PodPtr& pod) {
  if (pod->nominated_node.empty()) return;
  outbox_.post(pod->uid(), [this, pod] {
    const client::Place place{.resource = &pods_,
                              .name_space = std::string(pod->name_space()),
                              .name = std::string(pod->name()),
                              .subresource = "status"};
    const Result<api::ObjectPtr> written = context_.client.patch(
        place, api::PatchType::kStrategic, evictions::end_nomination_patch(*pod), {});
    if (written.ok() || written.is(Reason::kNotFound)) return;
    evictions::kLog.warn("clearing the nominated node failed",
                         {{"pod", pod->key().str()}, {"error", written.status()}});
  });
}

Result<void> Evictions::evict(const Pod& pod, const std::string& node, const Pod& victim) {
  client::Place place{.resource = &pods_,
                      .name_space = std::string(victim.name_space()),
                      .name = std::string(victim.name()),
                      .subresource = "status"};
  const Result<api::ObjectPtr> marked = context_.client.patch(
      place, api::PatchType::kStrategic,
      evictions::disruption_patch(victim, pod.shape->scheduler_name, context_.clock.now()), {});
  if (marked.is(Reason::kNotFound)) return {};
  if (!marked.ok()) return marked.status();
  place.subresource.clear();
  const Result<void> removed = context_.client.remove(place, {.uid = std::string(victim.uid())});
  if (removed.is(Reason::kNotFound)) return {};
  if (!removed.ok()) return removed.status();
  context_.events.normal(client::ObjectReference::to(*victim.object), "Preempted",
                         "Preempted by pod " + std::string(pod.uid()) + " on node " + node);
  return {};
}

}  // namespace proa::scheduler
