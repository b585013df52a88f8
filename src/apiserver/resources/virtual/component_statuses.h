#pragma once

#include "apiserver/resources/call/call.h"
#include "apiserver/resources/call/context.h"

// How the parts of the control plane are. Clients of old ask for it (`kubectl get cs`).

namespace proa::apiserver {

Result<Outgoing> get_component_status(const ApiContext& context, const Request& request,
                                      const Incoming& incoming);
Result<Outgoing> list_component_statuses(const ApiContext& context, const Request& request,
                                         const Incoming& incoming);

}  // namespace proa::apiserver
