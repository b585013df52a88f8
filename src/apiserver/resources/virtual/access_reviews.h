#pragma once

#include "apiserver/resources/call/call.h"
#include "apiserver/resources/call/context.h"

// Whether somebody may do something, as the authorizers say: `kubectl auth can-i` asks so, and
// other servers that leave it to this one to decide.

namespace proa::apiserver {

// About anybody.
Result<Answer> create_subject_access_review(const ApiContext& context, Call& call);
// About the one who asks.
Result<Answer> create_self_subject_access_review(const ApiContext& context, Call& call);
// About anybody, in one namespace.
Result<Answer> create_local_subject_access_review(const ApiContext& context, Call& call);

}  // namespace proa::apiserver
