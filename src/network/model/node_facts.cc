#include "network/model/node_facts.h"

#include <algorithm>

namespace proa::network {

using api::entry;

const api::FieldTable& NodeSpec::table() {
  static constexpr api::FieldEntry kEntries[] = {entry<&NodeSpec::pod_cidrs>("podCIDRs")};
  static constexpr api::FieldTable kTable{.types = "v1/NodeSpec", .entries = kEntries};
  return kTable;
}

const api::FieldTable& NodeStatus::table() {
  static constexpr api::FieldEntry kEntries[] = {entry<&NodeStatus::addresses>("addresses")};
  static constexpr api::FieldTable kTable{.types = "v1/NodeStatus", .entries = kEntries};
  return kTable;
}

const api::FieldTable& NodeAnnotations::table() {
  static constexpr api::FieldEntry kEntries[] = {entry<&NodeAnnotations::key>(kKeyAnnotation)};
  static constexpr api::FieldTable kTable{.types = api::FieldTable::kMap, .entries = kEntries};
  return kTable;
}

const api::FieldTable& NodeMetadata::table() {
  static constexpr api::FieldEntry kEntries[] = {entry<&NodeMetadata::annotations>("annotations")};
  static constexpr api::FieldTable kTable{.types = "meta.k8s.io/v1/ObjectMeta",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& Node::table() {
  static constexpr api::FieldEntry kEntries[] = {entry<&Node::metadata>("metadata"),
                                                 entry<&Node::spec>("spec"),
                                                 entry<&Node::status>("status")};
  static constexpr api::FieldTable kTable{.types = "v1/Node", .entries = kEntries};
  return kTable;
}

bool same_prefix(const IpPrefix& a, const IpPrefix& b) {
  return a.v6 == b.v6 && a.bits == b.bits && a.base() == b.base();
}

bool operator==(const NodeFacts& a, const NodeFacts& b) {
  return a.name == b.name && a.addresses == b.addresses && a.key == b.key &&
         std::equal(a.ranges.begin(), a.ranges.end(), b.ranges.begin(), b.ranges.end(),
                    same_prefix);
}

NodeFacts node_facts(const api::Object& object) {
  NodeFacts facts;
  facts.name = object.metadata().name;
  const auto node = api::decode<Node>(object);
  if (!node.ok()) return facts;
  facts.key = netlink::parse_key(node->metadata.annotations.key);
  for (const std::string& text : node->spec.pod_cidrs) {
    if (const auto range = parse_prefix(text)) facts.ranges.push_back(*range);
  }
  for (const kinds::NodeAddress& one : node->status.addresses) {
    if (one.type != "InternalIP") continue;
    if (const auto address = parse_ip(one.address)) facts.addresses.push_back(*address);
  }
  return facts;
}

}  // namespace proa::network
