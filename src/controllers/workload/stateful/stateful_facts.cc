#include "controllers/workload/stateful/stateful_facts.h"

#include "controllers/workload/objects/stateful_set.h"

namespace proa::controllers {

Result<StatefulFacts> read_stateful_set(const api::Object& object) {
  const objects::StatefulSet set = TRY(api::decode<objects::StatefulSet>(object));
  const objects::StatefulSetSpec& spec = set.spec;
  StatefulFacts facts;
  facts.name = object.metadata().name;
  facts.replicas = spec.replicas;
  facts.start = spec.ordinals.start;
  facts.parallel = spec.pod_management == "Parallel";
  facts.min_ready_seconds = spec.min_ready_seconds;
  facts.history_limit = spec.history_limit;
  facts.service = spec.service;
  facts.updates = spec.strategy.type != "OnDelete";
  if (spec.strategy.rolling) facts.partition = spec.strategy.rolling->partition;
  // Without a partition, pods that the update has not reached are recreated at the current revision
  // (upstream's newVersionedStatefulSetPod).
  const bool has_partition = spec.strategy.rolling || !facts.updates;
  facts.made_of_current = has_partition ? facts.partition : set.status.current_replicas;
  facts.retention.goes_with_set = spec.claim_retention.when_deleted == "Delete";
  facts.retention.goes_with_pod = spec.claim_retention.when_scaled == "Delete";
  for (const objects::ClaimTemplate& claim : spec.claim_templates) {
    facts.claim_templates.push_back(claim.metadata.name);
  }
  facts.current_revision = set.status.current_revision;
  facts.update_revision = set.status.update_revision;
  facts.collisions = set.status.collisions;
  return facts;
}

}  // namespace proa::controllers
