#pragma once

#include "apiserver/resources/subresources/posted.h"

namespace proa::apiserver {

// pods/NAME/binding: puts a pod on a node, which happens once. What the scheduler posts.
Result<Answer> run_binding(const ApiContext& context, Call& call);

// The same for a Binding that was read already. REQUIRES: the request is for the pod's binding.
Result<Answer> bind_pod(const ApiContext& context, const Request& request, const Posted& posted);

}  // namespace proa::apiserver
