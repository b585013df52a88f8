#pragma once

#include "apiserver/resources/call/call.h"
#include "apiserver/resources/call/context.h"

namespace proa::apiserver {

// The deprecated way to bind a pod; the body has its name.
Result<Answer> create_binding(const ApiContext& context, Call& call);

}  // namespace proa::apiserver
