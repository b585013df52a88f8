#pragma once

#include <memory>

#include "controllers/framework/controller.h"

namespace proa::controllers {

// The ConfigMap kube-public/cluster-info is signed with every token that nodes may join with, so
// that who has such a token can trust it. The only key is that of the ConfigMap.
std::unique_ptr<Controller> make_bootstrap_signer(const ControllerContext& context);

// Tokens that nodes join with are deleted when they are over. The keys are those of their Secrets.
std::unique_ptr<Controller> make_bootstrap_token_cleaner(const ControllerContext& context);

}  // namespace proa::controllers
