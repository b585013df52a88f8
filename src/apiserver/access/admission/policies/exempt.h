#pragma once

#include "apiserver/request/request.h"

namespace proa::apiserver {

// Whether no policy applies to the resource: to those that configure admission, and to reviews,
// which a cluster cannot live without.
bool is_exempt_from_policies(const Request& request);

}  // namespace proa::apiserver
