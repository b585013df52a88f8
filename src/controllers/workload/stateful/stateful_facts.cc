#include "controllers/workload/stateful/stateful_facts.h"

namespace proa::controllers {

StatefulFacts read_stateful_set(api::View root) {
  const api::View spec = root["spec"];
  const api::View status = root["status"];
  StatefulFacts facts;
  facts.name = root["metadata"]["name"].text();
  facts.replicas = spec["replicas"].integer(1);
  facts.start = spec["ordinals"]["start"].integer();
  facts.parallel = spec["podManagementPolicy"].text() == "Parallel";
  facts.min_ready_seconds = spec["minReadySeconds"].integer();
  facts.history_limit = spec["revisionHistoryLimit"].integer(10);
  facts.service = spec["serviceName"].text();
  const api::View strategy = spec["updateStrategy"];
  const api::View rolling = strategy["rollingUpdate"];
  facts.updates = strategy["type"].text() != "OnDelete";
  facts.partition = rolling["partition"].integer();
  // Without a partition, the pods that an update has not come to yet come back as they were
  // (upstream's newVersionedStatefulSetPod).
  const bool has_partition = rolling.exists() || !facts.updates;
  facts.made_of_current = has_partition ? facts.partition : status["currentReplicas"].integer();
  const api::View retention = spec["persistentVolumeClaimRetentionPolicy"];
  facts.retention.goes_with_set = retention["whenDeleted"].text() == "Delete";
  facts.retention.goes_with_pod = retention["whenScaled"].text() == "Delete";
  for (const api::View claim : spec["volumeClaimTemplates"].items()) {
    facts.claim_templates.emplace_back(claim["metadata"]["name"].text());
  }
  facts.current_revision = status["currentRevision"].text();
  facts.update_revision = status["updateRevision"].text();
  facts.collisions = status["collisionCount"].integer();
  return facts;
}

}  // namespace proa::controllers
