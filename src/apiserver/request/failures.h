#pragma once

#include "base/result.h"
#include "base/status.h"
#include "base/threads/deadline.h"

// Failures shared by several stages of a request, as upstream.

namespace proa::apiserver {

// 404: unknown path, resource or subresource.
Status no_such_resource();
// 405: the resource does not support this verb.
Status method_not_allowed();
// 504 if the client has gone or its time is up.
Result<void> check_time(const Until& until, const Clock& clock);

}  // namespace proa::apiserver
