#include "controllers/workload/daemon/daemon_facts.h"

#include "base/strings.h"
#include "controllers/workload/daemon/daemon_pod.h"

namespace proa::controllers {
namespace daemon_facts_reader {

using api::View;

constexpr std::string_view kTemplateGeneration = "deprecated.daemonset.template.generation";

NodeMatch nodes_of(View pod_template) {
  json::Document document;
  document.root() = json::Value::object();
  const api::Edit copy(document);
  copy.copy("spec", pod_template["spec"]);
  put_daemon_tolerations(copy.object("spec"));
  return NodeMatch(copy["spec"]);
}

DaemonFacts read(View root) {
  const View spec = root["spec"];
  DaemonFacts facts{.nodes = nodes_of(spec["template"])};
  facts.min_ready_seconds = spec["minReadySeconds"].integer();
  facts.history_limit = spec["revisionHistoryLimit"].integer(10);
  const View strategy = spec["updateStrategy"];
  facts.updates = strategy["type"].text() != "OnDelete";
  if (facts.updates) {
    facts.max_unavailable = Share::from(strategy["rollingUpdate"]["maxUnavailable"]);
    facts.max_surge = Share::from(strategy["rollingUpdate"]["maxSurge"]);
  }
  facts.template_generation =
      parse_int(root["metadata"]["annotations"][kTemplateGeneration].text());
  facts.observed_generation = root["status"]["observedGeneration"].integer();
  facts.collisions = root["status"]["collisionCount"].integer();
  return facts;
}

}  // namespace daemon_facts_reader

const DaemonFacts& daemon_facts(const api::Object& set) {
  return set.kept<DaemonFacts>([&] {
    const Result<json::Document> document = set.document();
    return daemon_facts_reader::read(document ? api::View(document->root()) : api::View());
  });
}

}  // namespace proa::controllers
