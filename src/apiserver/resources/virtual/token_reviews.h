#pragma once

#include "apiserver/resources/call/call.h"
#include "apiserver/resources/call/context.h"

namespace proa::apiserver {

// Tells others whom a token belongs to that was shown to them. May wait, as kinds of tokens may.
Result<Answer> create_token_review(const ApiContext& context, Call& call);

}  // namespace proa::apiserver
