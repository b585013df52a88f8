#pragma once

#include "apiserver/resources/call/call.h"
#include "apiserver/resources/call/context.h"

// Access reviews, answered by the authorizers. Used by `kubectl auth can-i` and by servers that
// delegate authorization.

namespace proa::apiserver {

// For any user.
Result<Answer> create_subject_access_review(const ApiContext& context, Call& call);
// For the caller.
Result<Answer> create_self_subject_access_review(const ApiContext& context, Call& call);
// For any user, in one namespace.
Result<Answer> create_local_subject_access_review(const ApiContext& context, Call& call);

}  // namespace proa::apiserver
