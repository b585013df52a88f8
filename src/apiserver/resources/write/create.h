#pragma once

#include "apiserver/resources/call/context.h"
#include "apiserver/resources/write/body.h"

namespace proa::apiserver {

// Stores a new object. Blocks until it is durable. REQUIRES: not on a loop thread.
Result<Written> create_object(const ApiContext& context, const Request& request, Body body,
                              const WriteOptions& options);

// Adds the hooks' operations to the commit.
Result<void> run_write_hooks(const ApiContext& context, api::Edit object, const Step& step);

}  // namespace proa::apiserver
