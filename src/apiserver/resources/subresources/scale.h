#pragma once

#include "apiserver/resources/call/call.h"
#include "apiserver/resources/call/context.h"

namespace proa::apiserver {

// scale: get, update and patch of an autoscaling/v1 Scale, for any scalable kind.
Result<Answer> run_scale(const ApiContext& context, Call& call);

}  // namespace proa::apiserver
