#include "controllers/node/node_facts.h"

#include <algorithm>

#include "controllers/node/objects.h"

namespace proa::controllers::nodes {
namespace node_facts_reader {

constexpr std::string_view kExcluded = "node.kubernetes.io/exclude-disruption";
constexpr std::string_view kUnschedulable = "node.kubernetes.io/unschedulable";

// A condition status that requires a taint.
struct ConditionTaint {
  std::string_view condition;
  std::string_view status;
  std::string_view taint;
};
constexpr ConditionTaint kConditionTaints[] = {
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

void read_conditions(const std::vector<NodeCondition>& conditions, NodeFacts& facts) {
  for (const NodeCondition& condition : conditions) {
    if (condition.type == "Ready") {
      facts.ready = ready_of(condition.status);
      facts.heartbeat = condition.last_heartbeat;
    }
    for (const ConditionTaint& one : kConditionTaints) {
      if (one.condition == condition.type && one.status == condition.status) {
        facts.required_taints.emplace_back(one.taint);
      }
    }
  }
}

// The deprecated label takes precedence, as in upstream's GetZoneKey.
std::string_view label_of(const api::Metadata& node, const char* deprecated, const char* name) {
  if (const std::string_view* old = node.label(deprecated)) return *old;
  const std::string_view* label = node.label(name);
  return label == nullptr ? std::string_view() : *label;
}

std::string zone_of(const api::Metadata& node) {
  const std::string_view zone =
      label_of(node, "failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone");
  const std::string_view region =
      label_of(node, "failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region");
  if (zone.empty() && region.empty()) return {};
  return std::string(region) + "/" + std::string(zone);  // labels contain no slash
}

struct LabelNames {
  const char* current;
  const char* deprecated;
};
constexpr LabelNames kPlatform[] = {
    {"kubernetes.io/os", "beta.kubernetes.io/os"},
    {"kubernetes.io/arch", "beta.kubernetes.io/arch"},
};

void compare_labels(const api::Metadata& node, NodeFacts& facts) {
  for (const LabelNames& names : kPlatform) {
    const std::string_view* value = node.label(names.current);
    const std::string_view* old = node.label(names.deprecated);
    if (value == nullptr || (old != nullptr && *old == *value)) continue;
    facts.lacks_labels.emplace_back(names.deprecated, *value);
  }
}

void put_taints(std::vector<NodeTaint> taints, NodeFacts& facts) {
  for (NodeTaint& one : taints) {
    facts.taints.push_back({.key = std::move(one.key),
                            .value = std::move(one.value),
                            .effect = std::move(one.effect)});
    if (facts.taints.back().effect == kNoExecute) facts.no_execute.push_back(facts.taints.back());
  }
}

NodeFacts read(const api::Object& object) {
  NodeFacts facts;
  Result<Node> node = api::decode<Node>(object);
  if (!node) return facts;
  const api::Metadata& metadata = object.metadata();
  facts.created = node->metadata.created;
  facts.zone = zone_of(metadata);
  facts.counts = metadata.label(kExcluded) == nullptr;
  compare_labels(metadata, facts);
  put_taints(std::move(node->spec.taints), facts);
  read_conditions(node->status.conditions, facts);
  if (node->spec.unschedulable) facts.required_taints.emplace_back(kUnschedulable);
  facts.pod_cidrs = std::move(node->spec.pod_cidrs);
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
