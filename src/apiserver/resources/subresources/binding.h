#pragma once

#include "apiserver/resources/subresources/posted.h"

namespace proa::apiserver {

// pods/NAME/binding: puts a pod on a node, which happens once. What the scheduler posts.
Result<Outgoing> run_binding(const ApiContext& context, const Request& request,
                             const Incoming& incoming);

// The same for a Binding that was read already. REQUIRES: the request is for the pod's binding.
Result<Outgoing> bind_pod(const ApiContext& context, const Request& request, const Posted& posted);

}  // namespace proa::apiserver
