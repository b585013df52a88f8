#pragma once

#include <string_view>

#include "apiserver/access/authz/authorizer.h"

namespace proa::apiserver {

// Whether the user has the verb ("approve", "sign", "attest") on a signer ("example.com/mine"), or
// on all signers of its domain ("example.com/*").
bool may_for_signer(Authorizer& authorizer, const User& user, std::string_view verb,
                    std::string_view signer);

}  // namespace proa::apiserver
