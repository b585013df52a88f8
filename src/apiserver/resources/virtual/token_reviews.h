#pragma once

#include "apiserver/resources/call/call.h"
#include "apiserver/resources/call/context.h"

namespace proa::apiserver {

// The identity of a token, for servers that delegate authentication. May block, as token
// authenticators may.
Result<Answer> create_token_review(const ApiContext& context, Call& call);

}  // namespace proa::apiserver
