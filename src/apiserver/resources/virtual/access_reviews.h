#pragma once

#include "apiserver/resources/call/call.h"
#include "apiserver/resources/call/context.h"

// Whether somebody may do something, as the authorizers say: `kubectl auth can-i` asks so, and
// other servers that leave it to this one to decide.

namespace proa::apiserver {

// About anybody.
Result<Outgoing> create_subject_access_review(const ApiContext& context, const Request& request,
                                              const Incoming& incoming);
// About the one who asks.
Result<Outgoing> create_self_subject_access_review(const ApiContext& context,
                                                   const Request& request,
                                                   const Incoming& incoming);
// About anybody, in one namespace.
Result<Outgoing> create_local_subject_access_review(const ApiContext& context,
                                                    const Request& request,
                                                    const Incoming& incoming);

}  // namespace proa::apiserver
