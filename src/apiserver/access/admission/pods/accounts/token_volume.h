#pragma once

#include "api/object/edit.h"
#include "base/random.h"

namespace proa::apiserver {

// Mounts a token of the pod's account, the certificate of the API server's authority and the name
// of the namespace into every container that has nothing there yet, where clients look for them.
void mount_token(api::Edit pod_spec, Random& random);

}  // namespace proa::apiserver
