#pragma once

#include <memory>

#include "controllers/framework/controller.h"

namespace proa::controllers {

// Sets the annotation node.alpha.kubernetes.io/ttl, how long kubelets may cache, by the size of the
// cluster. The keys are nodes.
std::unique_ptr<Controller> make_node_ttl_controller(const ControllerContext& context);

// The TTL step for a cluster size, given the current `step`. Steps overlap, so that single nodes do
// not change all annotations.
size_t ttl_step(size_t step, size_t nodes);
int ttl_seconds(size_t step);

}  // namespace proa::controllers
