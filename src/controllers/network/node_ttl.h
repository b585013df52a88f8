#pragma once

#include <memory>

#include "controllers/framework/controller.h"

namespace proa::controllers {

// For how long nodes may keep what they read, by how many they are: the annotation
// node.alpha.kubernetes.io/ttl. The keys are nodes.
std::unique_ptr<Controller> make_node_ttl_controller(const ControllerContext& context);

// The step of a cluster of that size, where it was at `step` before: a size between two steps
// leaves it where it is, so that one node more or less does not change all of them.
size_t ttl_step(size_t step, size_t nodes);
int ttl_seconds(size_t step);

}  // namespace proa::controllers
