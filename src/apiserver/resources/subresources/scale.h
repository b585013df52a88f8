#pragma once

#include "apiserver/resources/call/call.h"
#include "apiserver/resources/call/context.h"

namespace proa::apiserver {

// How many replicas there are to be, whatever the kind: get, update, patch of an autoscaling/v1
// Scale.
Result<Answer> run_scale(const ApiContext& context, Call& call);

}  // namespace proa::apiserver
