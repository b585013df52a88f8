#pragma once

#include "apiserver/allocate/network.h"
#include "apiserver/server.h"
#include "apiserver/write/context.h"

namespace proa::apiserver {

// Puts into the store what every cluster has, where it is missing: namespaces, priorities, the
// network of Services, and the Service of this server itself, which leads to where it is now. May
// be run at every start, by several servers at once; writes nothing when nothing has changed.
Result<void> bootstrap(const ApiContext& context, const ApiServerOptions& options,
                       const ServiceNetwork& network);

}  // namespace proa::apiserver
