#pragma once

#include <string_view>

#include "apiserver/access/authz/authorizer.h"

namespace proa::apiserver {

// Whether the user may do that ("approve", "sign", "attest") for a signer ("example.com/mine"): by
// its name, or for all signers of its domain ("example.com/*").
bool may_for_signer(Authorizer& authorizer, const User& user, std::string_view verb,
                    std::string_view signer);

}  // namespace proa::apiserver
