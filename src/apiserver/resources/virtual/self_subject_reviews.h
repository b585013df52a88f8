#pragma once

#include "apiserver/resources/call/call.h"
#include "apiserver/resources/call/context.h"

namespace proa::apiserver {

// The caller's identity: `kubectl auth whoami`.
Result<Answer> create_self_subject_review(const ApiContext& context, Call& call);

}  // namespace proa::apiserver
