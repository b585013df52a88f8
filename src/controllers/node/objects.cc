#include "controllers/node/objects.h"

namespace proa::controllers::nodes {

using api::entry;

const api::FieldTable& NodeMetadata::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&NodeMetadata::created>("creationTimestamp"),
  };
  static constexpr api::FieldTable kTable{.types = "meta.k8s.io/v1/ObjectMeta",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& NodeTaint::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&NodeTaint::key>("key"),
      entry<&NodeTaint::value>("value"),
      entry<&NodeTaint::effect>("effect"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/Taint", .entries = kEntries};
  return kTable;
}

const api::FieldTable& NodeSpec::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&NodeSpec::pod_cidrs>("podCIDRs"),
      entry<&NodeSpec::unschedulable>("unschedulable"),
      entry<&NodeSpec::taints>("taints"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/NodeSpec", .entries = kEntries};
  return kTable;
}

const api::FieldTable& NodeCondition::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&NodeCondition::type>("type"),
      entry<&NodeCondition::status>("status"),
      entry<&NodeCondition::last_heartbeat>("lastHeartbeatTime"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/NodeCondition", .entries = kEntries};
  return kTable;
}

const api::FieldTable& NodeStatus::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&NodeStatus::conditions>("conditions"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/NodeStatus", .entries = kEntries};
  return kTable;
}

const api::FieldTable& Node::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&Node::metadata>("metadata"),
      entry<&Node::spec>("spec"),
      entry<&Node::status>("status"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/Node", .entries = kEntries};
  return kTable;
}

}  // namespace proa::controllers::nodes
