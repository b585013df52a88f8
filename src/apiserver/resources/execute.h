#pragma once

#include "apiserver/resources/call/call.h"
#include "apiserver/resources/call/context.h"

namespace proa::apiserver {

// Fails with kForbidden if the user is not authorized. May block, as authorizers may.
Result<void> authorize(const ApiContext& context, const Call& call);

// Whether execute() only reads the store's memory, so that it may run on a loop thread.
bool answers_from_memory(const Request& request);

// Whether the answer must show what any server acknowledged before the request, or asks for a
// revision that is not here yet: Store::catch_up() comes first. Never where the store is not
// shared.
bool needs_newest(const store::Store& store, const Call& call);
// Blocks until then.
Result<void> wait_for_newest(const ApiContext& context, const Call& call);

// Executes an authorized request of any verb but watch. Reads are answered from memory; writes are
// decoded, admitted, validated and committed, and block until durable. REQUIRES: what
// needs_newest() asks for has been waited for.
Result<Answer> execute(const ApiContext& context, Call call);

}  // namespace proa::apiserver
