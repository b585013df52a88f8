#pragma once

#include "apiserver/resources/call/call.h"
#include "apiserver/resources/call/context.h"

namespace proa::apiserver {

// Resources that are not stored: reviews and actions. Any verb but watch; may block. Fails with
// kNotFound if this server does not serve the resource. REQUIRES: the resource has no key_prefix.
Result<Answer> run_virtual(const ApiContext& context, Call& call);

}  // namespace proa::apiserver
