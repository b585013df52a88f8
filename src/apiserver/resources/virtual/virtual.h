#pragma once

#include "apiserver/resources/call/call.h"
#include "apiserver/resources/call/context.h"

namespace proa::apiserver {

// Resources that are not stored: asking for them is a question, or an order. Runs any verb but
// watch; may block. kNotFound for those that this server does not answer. REQUIRES: the resource
// has no key_prefix.
Result<Answer> run_virtual(const ApiContext& context, Call& call);

}  // namespace proa::apiserver
