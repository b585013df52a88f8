#pragma once

#include <memory>

#include "controllers/framework/controller.h"

namespace proa::controllers {

// Every namespace has a service account called "default". The keys are names of namespaces.
std::unique_ptr<Controller> make_service_account_controller(const ControllerContext& context);

// Every namespace has a config map kube-root-ca.crt: whom to trust when talking to the API server.
std::unique_ptr<Controller> make_root_authority_publisher(const ControllerContext& context);

}  // namespace proa::controllers
