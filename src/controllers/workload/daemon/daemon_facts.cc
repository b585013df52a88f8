#include "controllers/workload/daemon/daemon_facts.h"

#include "base/strings.h"
#include "controllers/workload/daemon/daemon_pod.h"
#include "controllers/workload/objects/daemon_set.h"
#include "json/parse.h"

namespace proa::controllers {
namespace daemon_facts_reader {

// With the tolerations that all daemon pods get.
NodeMatch nodes_of(api::RawJson pod_spec) {
  Result<json::Document> parsed = json::parse(pod_spec.empty() ? "{}" : pod_spec.text);
  json::Document document = parsed ? std::move(*parsed) : json::Document();
  if (!document.root().is(json::Kind::kObject)) document.root() = json::Value::object();
  put_daemon_tolerations(api::Edit(document));
  return NodeMatch(document.root());
}

DaemonFacts read(const api::Object& object) {
  Result<objects::DaemonSet> found = api::decode<objects::DaemonSet>(object);
  const objects::DaemonSet set = found ? std::move(*found) : objects::DaemonSet();
  const objects::DaemonSetSpec& spec = set.spec;
  DaemonFacts facts{.nodes = nodes_of(spec.pod_template.spec)};
  facts.min_ready_seconds = spec.min_ready_seconds;
  facts.history_limit = spec.history_limit;
  facts.updates = spec.strategy.type != "OnDelete";
  if (facts.updates) {
    facts.max_unavailable = Share::from(spec.strategy.rolling.max_unavailable);
    facts.max_surge = Share::from(spec.strategy.rolling.max_surge);
  }
  facts.template_generation = parse_int(set.metadata.annotations.template_generation);
  facts.observed_generation = set.status.observed_generation;
  facts.collisions = set.status.collisions;
  return facts;
}

}  // namespace daemon_facts_reader

const DaemonFacts& daemon_facts(const api::Object& set) {
  return set.kept<DaemonFacts>([&] { return daemon_facts_reader::read(set); });
}

}  // namespace proa::controllers
