#pragma once

#include "apiserver/resources/call/call.h"
#include "apiserver/resources/call/context.h"

namespace proa::apiserver {

// The older way to post a pod's binding, whose name stands in the body alone.
Result<Answer> create_binding(const ApiContext& context, Call& call);

}  // namespace proa::apiserver
