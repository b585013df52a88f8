#pragma once

#include <memory>

#include "controllers/framework/controller.h"

namespace proa::controllers {

// Creates the service account "default" in every namespace. The keys are names of namespaces.
std::unique_ptr<Controller> make_service_account_controller(const ControllerContext& context);

// Publishes the cluster CA in every namespace as ConfigMap kube-root-ca.crt.
std::unique_ptr<Controller> make_root_authority_publisher(const ControllerContext& context);

}  // namespace proa::controllers
