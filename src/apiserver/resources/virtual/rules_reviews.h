#pragma once

#include "apiserver/resources/call/call.h"
#include "apiserver/resources/call/context.h"

namespace proa::apiserver {

// The caller's permissions in a namespace, as far as they can be listed: `kubectl auth can-i
// --list`.
Result<Answer> create_self_subject_rules_review(const ApiContext& context, Call& call);

}  // namespace proa::apiserver
