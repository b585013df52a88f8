#pragma once

#include "apiserver/resources/call/call.h"
#include "apiserver/resources/call/context.h"

namespace proa::apiserver {

// pods/NAME/eviction: deletes a pod if its disruption budgets allow it, and charges them. Posted by
// `kubectl drain`.
Result<Answer> run_eviction(const ApiContext& context, Call& call);

}  // namespace proa::apiserver
