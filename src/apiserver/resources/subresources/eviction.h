#pragma once

#include "apiserver/resources/call/call.h"
#include "apiserver/resources/call/context.h"

namespace proa::apiserver {

// pods/NAME/eviction: deletes a pod if its disruption budget allows that, and takes it from there.
// What `kubectl drain` posts.
Result<Outgoing> run_eviction(const ApiContext& context, const Request& request,
                              const Incoming& incoming);

}  // namespace proa::apiserver
