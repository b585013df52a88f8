#pragma once

#include "apiserver/resources/call/call.h"
#include "apiserver/resources/call/context.h"

namespace proa::apiserver {

// Carries out a request that changes something (or asks a subresource that is no part of the
// object). Blocks until the outcome is durable. Not on a loop's thread.
Result<Outgoing> run_write(const ApiContext& context, const Request& request,
                           const Incoming& incoming);

}  // namespace proa::apiserver
