#include "controllers/node/node_facts.h"

#include <algorithm>

#include "api/object/view.h"
#include "controllers/framework/times.h"

namespace proa::controllers::nodes {
namespace node_facts_reader {

using api::View;

constexpr std::string_view kExcluded = "node.kubernetes.io/exclude-disruption";
constexpr std::string_view kUnschedulable = "node.kubernetes.io/unschedulable";

// Which condition in which state calls for which taint.
struct Call {
  std::string_view condition;
  std::string_view status;
  std::string_view taint;
};
constexpr Call kCalls[] = {
    {"Ready", "False", kTaintNotReady},
    {"Ready", "Unknown", kTaintUnreachable},
    {"MemoryPressure", "True", "node.kubernetes.io/memory-pressure"},
    {"DiskPressure", "True", "node.kubernetes.io/disk-pressure"},
    {"NetworkUnavailable", "True", "node.kubernetes.io/network-unavailable"},
    {"PIDPressure", "True", "node.kubernetes.io/pid-pressure"},
};

NodeReady ready_of(std::string_view status) {
  if (status == "True") return NodeReady::kTrue;
  return status == "False" ? NodeReady::kFalse : NodeReady::kUnknown;
}

void read_conditions(View conditions, NodeFacts& facts) {
  for (const View condition : conditions.items()) {
    const std::string_view type = condition["type"].text();
    const std::string_view status = condition["status"].text();
    if (type == "Ready") {
      facts.ready = ready_of(status);
      facts.heartbeat = condition["lastHeartbeatTime"].text();
    }
    for (const Call& call : kCalls) {
      if (call.condition == type && call.status == status) facts.calls_for.emplace_back(call.taint);
    }
  }
}

// The label under its old name counts first, as in upstream's GetZoneKey.
std::string_view label_of(View labels, const char* old_name, const char* name) {
  return labels[old_name].exists() ? labels[old_name].text() : labels[name].text();
}

std::string zone_of(View labels) {
  const std::string_view zone =
      label_of(labels, "failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone");
  const std::string_view region =
      label_of(labels, "failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region");
  if (zone.empty() && region.empty()) return {};
  return std::string(region) + "/" + std::string(zone);  // neither can hold a slash
}

struct LabelNames {
  const char* now;
  const char* before;
};
constexpr LabelNames kPlatform[] = {
    {"kubernetes.io/os", "beta.kubernetes.io/os"},
    {"kubernetes.io/arch", "beta.kubernetes.io/arch"},
};

void compare_labels(View labels, NodeFacts& facts) {
  for (const LabelNames& names : kPlatform) {
    const View value = labels[names.now];
    const View old = labels[names.before];
    if (!value.exists() || (old.exists() && old.text() == value.text())) continue;
    facts.lacks_labels.emplace_back(names.before, value.text());
  }
}

void put_taints(View spec, NodeFacts& facts) {
  facts.taints = kinds::pods::read_taints(spec);
  for (const Taint& taint : facts.taints) {
    if (taint.effect == kNoExecute) facts.no_execute.push_back(taint);
  }
}

NodeFacts read(const api::Object& node) {
  NodeFacts facts;
  const Result<json::Document> document = node.document();
  if (!document) return facts;
  const View root = document->root();
  const View metadata = root["metadata"];
  const View spec = root["spec"];
  facts.created = creation_of(root);
  facts.zone = zone_of(metadata["labels"]);
  facts.counts = !metadata["labels"][kExcluded].exists();
  compare_labels(metadata["labels"], facts);
  put_taints(spec, facts);
  read_conditions(root["status"]["conditions"], facts);
  if (spec["unschedulable"].flag()) facts.calls_for.emplace_back(kUnschedulable);
  for (const View network : spec["podCIDRs"].items()) {
    facts.pod_cidrs.emplace_back(network.text());
  }
  return facts;
}

}  // namespace node_facts_reader

bool NodeFacts::has_taint(std::string_view key, std::string_view effect) const {
  return std::any_of(taints.begin(), taints.end(),
                     [&](const Taint& taint) { return taint.is(key, effect); });
}

const NodeFacts& node_facts(const api::Object& node) {
  return node.kept<NodeFacts>([&] { return node_facts_reader::read(node); });
}

}  // namespace proa::controllers::nodes
