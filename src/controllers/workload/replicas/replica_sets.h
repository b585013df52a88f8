#pragma once

#include <memory>

#include "controllers/framework/controller.h"

namespace proa::controllers {

// ReplicaSets and ReplicationControllers: create and delete pods to reach spec.replicas, and adopt
// matching orphans.
std::unique_ptr<Controller> make_replica_set_controller(const ControllerContext& context);
std::unique_ptr<Controller> make_replication_controller(const ControllerContext& context);

}  // namespace proa::controllers
