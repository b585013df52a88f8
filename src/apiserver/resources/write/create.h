#pragma once

#include "apiserver/resources/call/context.h"
#include "apiserver/resources/write/body.h"

namespace proa::apiserver {

// Stores a new object. Blocks until it is durable. Not on a loop's thread.
Result<Written> create_object(const ApiContext& context, const Request& request, Body body,
                              const WriteOptions& options);

// Puts into the commit what goes with the object.
Result<void> run_write_hooks(const ApiContext& context, api::Edit object, const Step& step);

}  // namespace proa::apiserver
