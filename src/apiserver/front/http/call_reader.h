#pragma once

#include "apiserver/front/http/http_request.h"
#include "apiserver/resources/call/call.h"
#include "apiserver/resources/call/context.h"

namespace proa::apiserver {

// Which resource, with which verb: kNotFound or kMethodNotAllowed for what the API does not have.
// REQUIRES: a path of a resource.
Result<Request> read_request(const ApiContext& context, const HttpRequest& http, User user);

// The request with its options, read off the query, and its body. kBadRequest or kInvalid, in
// upstream's words. REQUIRES: not the query of a connection to a node or pod.
Result<Call> read_call(const ApiContext& context, Request request, const HttpRequest& http,
                       Bytes body);

}  // namespace proa::apiserver
