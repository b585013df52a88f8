#pragma once

#include "apiserver/resources/subresources/posted.h"

namespace proa::apiserver {

// pods/NAME/binding: binds a pod to a node, once. Posted by the scheduler.
Result<Answer> run_binding(const ApiContext& context, Call& call);

// The same for a decoded Binding, before and after validating admission. REQUIRES: the request is
// for the pod's binding.
Result<void> check_binding(const Request& request, const Posted& posted);
Result<Answer> bind_pod(const ApiContext& context, const Request& request, const Posted& posted);

}  // namespace proa::apiserver
