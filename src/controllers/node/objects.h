#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/typed/decode.h"

// The fields of a Node that its controllers decide by; src/api/typed/decode.h reads them. Views
// point into the object.

namespace proa::controllers::nodes {

struct NodeMetadata {
  Time created{};

  static const api::FieldTable& table();
};

struct NodeTaint {
  std::string key;
  std::string value;
  std::string effect;

  static const api::FieldTable& table();
};

struct NodeSpec {
  std::vector<std::string> pod_cidrs;
  bool unschedulable = false;
  std::vector<NodeTaint> taints;

  static const api::FieldTable& table();
};

struct NodeCondition {
  std::string_view type;
  std::string_view status;
  std::string_view last_heartbeat;

  static const api::FieldTable& table();
};

struct NodeStatus {
  std::vector<NodeCondition> conditions;

  static const api::FieldTable& table();
};

struct Node {
  NodeMetadata metadata;
  NodeSpec spec;
  NodeStatus status;

  static const api::FieldTable& table();
};

}  // namespace proa::controllers::nodes
