#pragma once

#include "base/status.h"

// Failures shared by several stages of a request, as upstream.

namespace proa::apiserver {

// 404: unknown path, resource or subresource.
Status no_such_resource();
// 405: the resource does not support this verb.
Status method_not_allowed();
// 429, with a retry after one second.
Status too_many_requests();

}  // namespace proa::apiserver
