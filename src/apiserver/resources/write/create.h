#pragma once

#include "apiserver/resources/call/context.h"
#include "apiserver/resources/write/body.h"
#include "kinds/rules.h"

namespace proa::apiserver {

// Stores a new object. Blocks until it is durable. REQUIRES: not on a loop thread.
Result<Written> create_object(const ApiContext& context, const Request& request, Body body,
                              const WriteOptions& options, Managers managers = Managers::kTracked);

// Tells the client the kind's warnings about an object; `old` is absent on create.
void add_warnings_of(const kinds::KindRules& rules, api::View object, api::View old,
                     const Request& request);

// Adds the hooks' operations to the commit.
Result<void> run_write_hooks(const ApiContext& context, api::Edit object, const Step& step);

}  // namespace proa::apiserver
