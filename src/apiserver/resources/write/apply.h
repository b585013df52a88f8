#pragma once

#include "api/apply/managed/versions.h"
#include "apiserver/resources/call/call.h"
#include "apiserver/resources/write/update.h"

// Server-side apply: PATCH with application/apply-patch+yaml.

namespace proa::apiserver {

// Applies the configuration of the call; creates the object if it does not exist, and the user may.
Result<Written> apply_object(const ApiContext& context, const Call& call, const UpdateRules& rules);

// Merges the configuration into `live`, which is null if the object is to be created. The result is
// decoded and has its managed fields, but not its defaults. Fails as upstream. Warnings go to the
// request.
Result<Body> apply_config(const ApiContext& context, const Call& call, const api::ManagedKind& kind,
                          const json::Value* live);

}  // namespace proa::apiserver
