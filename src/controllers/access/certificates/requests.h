#pragma once

#include <memory>

#include "controllers/framework/controller.h"

namespace proa::controllers {

// Approves kubelets' certificate requests where they are permitted. The keys are names of
// CertificateSigningRequests.
std::unique_ptr<Controller> make_request_approver(const ControllerContext& context);

// Signs approved requests of the cluster's signers.
std::unique_ptr<Controller> make_request_signer(const ControllerContext& context);

}  // namespace proa::controllers
