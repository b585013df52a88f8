#pragma once

#include "apiserver/write/context.h"
#include "apiserver/write/incoming.h"

namespace proa::apiserver {

// serviceaccounts/NAME/token: a TokenRequest is answered with a token in its status.
Result<Outgoing> run_token(const ApiContext& context, const Request& request,
                           const Incoming& incoming);

}  // namespace proa::apiserver
