#pragma once

#include <optional>

#include "apiserver/resources/call/call.h"
#include "apiserver/resources/call/context.h"
#include "apiserver/resources/write/update.h"

namespace proa::apiserver {

// Subresources that are sent the object itself and take a part of it: status, finalize, approval,
// ephemeralcontainers, resize. Nullopt for others. REQUIRES: the request names a subresource.
std::optional<UpdateRules> part_rules(const Request& request);

// The others: scale, binding, eviction, token. Runs any verb but watch; blocks. kNotFound where
// this server has no such thing (what needs a node: log, exec, proxy).
Result<Answer> run_subresource(const ApiContext& context, Call& call);

}  // namespace proa::apiserver
