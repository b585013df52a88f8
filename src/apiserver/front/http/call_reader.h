#pragma once

#include "apiserver/front/http/http_request.h"
#include "apiserver/resources/call/call.h"
#include "apiserver/resources/call/context.h"

namespace proa::apiserver {

// Resolves resource and verb. Fails with kNotFound or kMethodNotAllowed. REQUIRES: a resource path.
Result<Request> read_request(const ApiContext& context, const HttpRequest& http, UserPtr user);

// Reads options from the query, and the body. Fails with kBadRequest or kInvalid, with upstream's
// messages. REQUIRES: not a connect request (exec, proxy, ...), whose query belongs to the target.
Result<Call> read_call(const ApiContext& context, Request request, const HttpRequest& http,
                       Bytes body);

}  // namespace proa::apiserver
