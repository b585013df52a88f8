#pragma once

#include "apiserver/resources/call/call.h"
#include "apiserver/resources/call/context.h"

namespace proa::apiserver {

// Whether the caller may make this request: kForbidden otherwise. May block, as authorizers may.
Result<void> authorize(const ApiContext& context, const Call& call);

// Whether execute() only reads the store's memory, so that it may run on a loop's thread.
bool answers_from_memory(const Request& request);

// Carries out a request that its user may make: any verb but watch. Reads are answered from memory;
// writes are decoded, admitted, validated and committed, and block until they are durable.
Result<Answer> execute(const ApiContext& context, Call call);

}  // namespace proa::apiserver
