#pragma once

#include <memory>

#include "api/object/object.h"
#include "controllers/framework/controller.h"
#include "json/value.h"

namespace proa::controllers {

// The claims of a token in a Secret: it does not expire, but is deleted with the Secret or its
// account.
json::Document legacy_claims(const api::Object& account, const api::Object& secret);

// Fills Secrets of type kubernetes.io/service-account-token with a token for the account that they
// name, and deletes them with it; removes deleted Secrets from their account's list.
//
// The keys are those of Secrets, and StaleReferences for Secrets that were deleted.
std::unique_ptr<Controller> make_account_token_controller(const ControllerContext& context);

}  // namespace proa::controllers
