#pragma once

#include "api/object/edit.h"
#include "base/random.h"

namespace proa::apiserver {

// Mounts the service account token, the API server's CA certificate and the namespace into every
// container that has no mount at the usual path.
void mount_token(api::Edit pod_spec, Random& random);

}  // namespace proa::apiserver
