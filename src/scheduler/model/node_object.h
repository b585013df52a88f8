#pragma once

#include <cstdint>
#include <vector>

#include "api/typed/decode.h"
#include "kinds/core/placement/tolerations.h"

// The fields of a Node that decide which pods it takes. Texts are views into the object.

namespace proa::scheduler::objects {

struct ContainerImage {
  api::RawJson names;  // a list of texts; read in place, since nodes have many images
  int64_t size = 0;

  static const api::FieldTable& table();
};

struct NodeSpec {
  bool unschedulable = false;
  std::vector<kinds::pods::Taint> taints;

  static const api::FieldTable& table();
};

struct NodeStatus {
  api::RawJson allocatable;  // see read_amounts()
  std::vector<ContainerImage> images;

  static const api::FieldTable& table();
};

struct Node {
  NodeSpec spec;
  NodeStatus status;

  static const api::FieldTable& table();
};

}  // namespace proa::scheduler::objects
