#pragma once

#include "apiserver/resources/call/call.h"
#include "apiserver/resources/call/context.h"

// The health of the store and of the components that hold a Lease. Deprecated (`kubectl get cs`).

namespace proa::apiserver {

Result<Answer> get_component_status(const ApiContext& context, Call& call);
Result<Answer> list_component_statuses(const ApiContext& context, Call& call);

}  // namespace proa::apiserver
