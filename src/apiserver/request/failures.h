#pragma once

#include "base/status.h"

// Failures that several stages of a request answer with, in upstream's words.

namespace proa::apiserver {

// 404: no such path, resource or subresource.
Status no_such_resource();
// 405: the resource is there, but not with this verb.
Status method_not_allowed();
// 429, to be tried again after a second.
Status too_many_requests();

}  // namespace proa::apiserver
