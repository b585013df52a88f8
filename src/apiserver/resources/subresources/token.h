#pragma once

#include "apiserver/resources/call/call.h"
#include "apiserver/resources/call/context.h"

namespace proa::apiserver {

// serviceaccounts/NAME/token: answers a TokenRequest with a token in its status.
Result<Answer> run_token(const ApiContext& context, Call& call);

}  // namespace proa::apiserver
