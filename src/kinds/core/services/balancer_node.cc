#include "kinds/core/services/balancer_node.h"

#include <algorithm>
#include <iterator>

#include "kinds/core/services/announcements.h"

namespace proa::kinds {
namespace balancer_node {

constexpr std::string_view kExcludeLabel =
    "node.kubernetes.io/exclude-from-external-load-balancers";

// Go's strconv.ParseBool; other values count as excluded.
bool has_exclude_label(const api::Metadata& metadata) {
  const auto* mark = metadata.label(kExcludeLabel);
  if (mark == nullptr) return false;
  constexpr std::string_view kFalse[] = {"0", "f", "F", "false", "False", "FALSE"};
  return std::ranges::find(kFalse, *mark) == std::end(kFalse);
}

}  // namespace balancer_node

using api::entry;

const api::FieldTable& NodeTaint::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&NodeTaint::key>("key"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/Taint", .entries = kEntries};
  return kTable;
}

const api::FieldTable& NodeAddress::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&NodeAddress::type>("type"),
      entry<&NodeAddress::address>("address"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/NodeAddress", .entries = kEntries};
  return kTable;
}

const api::FieldTable& NodeCondition::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&NodeCondition::type>("type"),
      entry<&NodeCondition::status>("status"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/NodeCondition", .entries = kEntries};
  return kTable;
}

const api::FieldTable& BalancerNodeSpec::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&BalancerNodeSpec::taints>("taints"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/NodeSpec", .entries = kEntries};
  return kTable;
}

const api::FieldTable& DaemonEndpoint::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&DaemonEndpoint::port>("Port"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/DaemonEndpoint", .entries = kEntries};
  return kTable;
}

const api::FieldTable& DaemonEndpoints::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&DaemonEndpoints::kubelet>("kubeletEndpoint"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/NodeDaemonEndpoints", .entries = kEntries};
  return kTable;
}

const api::FieldTable& BalancerNodeStatus::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&BalancerNodeStatus::conditions>("conditions"),
      entry<&BalancerNodeStatus::addresses>("addresses"),
      entry<&BalancerNodeStatus::daemons>("daemonEndpoints"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/NodeStatus", .entries = kEntries};
  return kTable;
}

const api::FieldTable& BalancerNodeAnnotations::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&BalancerNodeAnnotations::used_ports>(kUsedPorts),
  };
  static constexpr api::FieldTable kTable{.types = api::FieldTable::kMap, .entries = kEntries};
  return kTable;
}

const api::FieldTable& BalancerNodeMetadata::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&BalancerNodeMetadata::annotations>("annotations"),
  };
  static constexpr api::FieldTable kTable{.types = "meta.k8s.io/v1/ObjectMeta",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& BalancerNode::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&BalancerNode::metadata>("metadata"),
      entry<&BalancerNode::spec>("spec"),
      entry<&BalancerNode::status>("status"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/Node", .entries = kEntries};
  return kTable;
}

bool is_excluded_from_balancers(const api::Object& object, const BalancerNode& node) {
  const api::Metadata& metadata = object.metadata();
  return metadata.being_deleted || balancer_node::has_exclude_label(metadata) ||
         std::ranges::any_of(node.spec.taints,
                             [](const NodeTaint& taint) { return taint.key == kToBeDeletedTaint; });
}

bool is_ready(const BalancerNode& node) {
  return std::ranges::any_of(node.status.conditions, [](const NodeCondition& condition) {
    return condition.type == "Ready" && condition.status == "True";
  });
}

std::vector<IpAddress> internal_addresses(const BalancerNode& node) {
  std::vector<IpAddress> addresses;
  for (const NodeAddress& each : node.status.addresses) {
    if (each.type != "InternalIP") continue;
    if (const auto address = parse_ip(each.address)) addresses.push_back(*address);
  }
  return addresses;
}

}  // namespace proa::kinds
