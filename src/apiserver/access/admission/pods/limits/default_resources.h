#pragma once

#include "api/object/edit.h"

namespace proa::apiserver {

// Sets the default requests and limits of a LimitRange on containers without their own, and records
// them in an annotation. `limits` is its spec.limits.
void set_default_resources(api::Edit pod, api::View limits);

}  // namespace proa::apiserver
