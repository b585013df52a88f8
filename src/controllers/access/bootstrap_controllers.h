#pragma once

#include <memory>

#include "controllers/framework/controller.h"

namespace proa::controllers {

// Signs the ConfigMap kube-public/cluster-info with every bootstrap token, so that owners of a
// token can verify it. The only key is that of the ConfigMap.
std::unique_ptr<Controller> make_bootstrap_signer(const ControllerContext& context);

// Deletes expired bootstrap tokens. The keys are their Secrets.
std::unique_ptr<Controller> make_bootstrap_token_cleaner(const ControllerContext& context);

}  // namespace proa::controllers
