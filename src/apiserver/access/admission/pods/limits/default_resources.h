#pragma once

#include "api/object/edit.h"

namespace proa::apiserver {

// Gives the containers of a pod what a LimitRange says they get when they do not say it themselves,
// and notes in an annotation what was given. `limits`: its spec.limits.
void set_default_resources(api::Edit pod, api::View limits);

}  // namespace proa::apiserver
