#include "scheduler/plugins/preemption/evictions.h"

#include <atomic>

#include "api/object/edit.h"
#include "base/log.h"
#include "json/print.h"

namespace proa::scheduler {
namespace evictions {

const Log kLog{"scheduler"};

// Enough to share commits; more threads only evict each other from the CPU caches.
constexpr size_t kVictimsAtOnce = 64;

json::Document disruption_patch(const Pod& victim, const std::string& scheduler, Time now) {
  json::Document patch({}, json::Value::object());
  const api::Edit root(patch);
  root.object("metadata").set("uid", victim.uid().view());
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
  root.object("metadata").set("uid", pod.uid().view());
  root.object("status").set("nominatedNodeName", json::Value());  // null removes the field
  return patch;
}

}  // namespace evictions

// The evictions for one preempting pod.
struct Evictions::Batch {
  PodPtr pod;
  api::NodeName node;
  std::atomic<size_t> left = 0;
  std::atomic<bool> failed = false;
};

Evictions::Evictions(const PluginContext& context)
    : context_(context),
      pods_(*context.schema.find_resource("", "v1", "pods")),
      outbox_(context.pool, evictions::kVictimsAtOnce) {}

bool Evictions::is_under_way(api::UidView uid) const {
  const MutexLock lock(mutex_);
  return !under_way_.empty() && under_way_.contains(uid);
}

void Evictions::begin(const PodPtr& pod, api::NodeNameView node,
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
  batch->node = api::NodeName(node);
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
  api::Uid uid(batch.pod->uid());
  {
    const MutexLock lock(mutex_);
    under_way_.erase(uid);
  }
  // Events of terminated victims may have gated it meanwhile.
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

Result<void> Evictions::evict(const Pod& pod, api::NodeNameView node, const Pod& victim) {
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
  const Result<void> removed = context_.client.remove(place, {.uid = victim.uid().str()});
  if (removed.is(Reason::kNotFound)) return {};
  if (!removed.ok()) return removed.status();
  context_.events.normal(client::ObjectReference::to(*victim.object), "Preempted",
                         "Preempted by pod " + pod.uid().str() + " on node " + node.str());
  return {};
}

}  // namespace proa::scheduler
