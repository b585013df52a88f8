#include "controllers/workload/stateful/stateful_status.h"

#include "controllers/framework/writes.h"
#include "controllers/pods/pod_facts.h"
#include "controllers/workload/history/revisions.h"

namespace proa::controllers {

void count_stateful_pods(StatefulStatus& status, std::span<const api::ObjectPtr> pods,
                         int64_t min_ready_seconds, Time now) {
  for (const api::ObjectPtr& pod : pods) {
    const PodFacts& facts = pod_facts(*pod);
    ++status.replicas;
    if (facts.phase == PodPhase::kRunning && facts.ready) {
      ++status.ready;
      if (facts.available(min_ready_seconds, now)) ++status.available;
    }
    const std::string_view revision = revision_hash_of(*pod);
    if (facts.being_deleted || revision.empty()) continue;
    if (revision == status.current_revision) ++status.current;
    if (revision == status.update_revision) ++status.updated;
  }
}

void complete_update(StatefulStatus& status, const StatefulFacts& facts) {
  const bool complete = facts.updates && status.updated == facts.replicas &&
                        status.ready == facts.replicas && status.replicas == facts.replicas;
  if (!complete) return;
  status.current = status.updated;
  status.current_revision = status.update_revision;
}

void put_stateful_status(api::Edit root, const StatefulStatus& status) {
  const api::Edit to = root.object("status");
  const auto put = [&to](const char* name, int64_t number) { put_count(to, name, number); };
  const auto put_text = [&to](const char* name, const std::string& text) {
    if (to[name].text() != text) to.set(name, text);
  };
  put("observedGeneration", status.generation);
  put("replicas", status.replicas);
  put("readyReplicas", status.ready);
  put("availableReplicas", status.available);
  put("currentReplicas", status.current);
  put("updatedReplicas", status.updated);
  put_text("currentRevision", status.current_revision);
  put_text("updateRevision", status.update_revision);
  if (to["collisionCount"].integer(-1) != status.collisions) {
    to.set("collisionCount", status.collisions);
  }
}

}  // namespace proa::controllers
