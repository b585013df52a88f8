#pragma once

#include <optional>

#include "apiserver/resources/call/call.h"
#include "apiserver/resources/call/context.h"
#include "apiserver/resources/write/update.h"

namespace proa::apiserver {

// Subresources that take the object itself and update a part of it: status, finalize, approval,
// ephemeralcontainers, resize. Nullopt for others. REQUIRES: the request names a subresource.
std::optional<UpdateRules> part_rules(const Request& request);

// The others: scale, binding, eviction, token. Any verb but watch; blocks. Fails with kNotFound for
// those that need a node (log, exec, proxy), which are served elsewhere.
Result<Answer> run_subresource(const ApiContext& context, Call& call);

}  // namespace proa::apiserver
