#pragma once

#include "apiserver/resources/call/call.h"
#include "apiserver/resources/call/context.h"

namespace proa::apiserver {

// Tells callers who they are: `kubectl auth whoami`.
Result<Outgoing> create_self_subject_review(const ApiContext& context, const Request& request,
                                            const Incoming& incoming);

}  // namespace proa::apiserver
