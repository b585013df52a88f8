#pragma once

#include <memory>

#include "controllers/framework/controller.h"

namespace proa::controllers {

// Approves what kubelets ask for, where they may. The keys are names of
// CertificateSigningRequests.
std::unique_ptr<Controller> make_request_approver(const ControllerContext& context);

// Signs what was approved, for the signers of the cluster.
std::unique_ptr<Controller> make_request_signer(const ControllerContext& context);

}  // namespace proa::controllers
