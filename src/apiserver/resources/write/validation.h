#pragma once

#include "apiserver/request/request.h"
#include "apiserver/resources/write/update.h"

namespace proa::apiserver {

// Validates an object as it will be stored: metadata, then what the kind says. Fails with kInvalid
// and all causes, as many of each as upstream has.
Result<void> validate_new(const ApiContext& context, const Request& request,
                          const json::Document& object);
// The same for an update of the object or a part of it. `old`: the stored object.
Result<void> validate_changed(const ApiContext& context, const Request& request,
                              const UpdateRules& rules, const json::Document& object,
                              const json::Document& old);

}  // namespace proa::apiserver
