#include "scheduler/model/node_object.h"

namespace proa::scheduler::objects {

const api::FieldTable& ContainerImage::table() {
  static constexpr api::FieldEntry kEntries[] = {
      api::entry<&ContainerImage::names>("names"),
      api::entry<&ContainerImage::size>("sizeBytes"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/ContainerImage", .entries = kEntries};
  return kTable;
}

const api::FieldTable& NodeSpec::table() {
  static constexpr api::FieldEntry kEntries[] = {
      api::entry<&NodeSpec::unschedulable>("unschedulable"),
      api::entry<&NodeSpec::taints>("taints"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/NodeSpec", .entries = kEntries};
  return kTable;
}

const api::FieldTable& NodeStatus::table() {
  static constexpr api::FieldEntry kEntries[] = {
      api::entry<&NodeStatus::allocatable>("allocatable"),
      api::entry<&NodeStatus::images>("images"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/NodeStatus", .entries = kEntries};
  return kTable;
}

const api::FieldTable& Node::table() {
  static constexpr api::FieldEntry kEntries[] = {
      api::entry<&Node::spec>("spec"),
      api::entry<&Node::status>("status"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/Node", .entries = kEntries};
  return kTable;
}

}  // namespace proa::scheduler::objects
