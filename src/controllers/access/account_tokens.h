#pragma once

#include <memory>

#include "api/object/object.h"
#include "controllers/framework/controller.h"
#include "json/value.h"

namespace proa::controllers {

// What a token says that lies in a Secret: it never ends, but goes with the Secret and its account.
json::Document legacy_claims(const api::Object& account, const api::Object& secret);

// Secrets of type kubernetes.io/service-account-token are given a token for the account that they
// name, and go with it; when one goes, its account does not name it any more.
//
// The keys are those of Secrets, and for those that are gone "SECRET/ACCOUNT/UID": what must not be
// named any more, and by which account (names have no slashes).
std::unique_ptr<Controller> make_account_token_controller(const ControllerContext& context);

}  // namespace proa::controllers
