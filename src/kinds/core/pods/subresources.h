#pragma once

#include "kinds/rules.h"

// Pods have two subresources besides status through which a part of the spec may change.

namespace proa::kinds {

// pods/ephemeralcontainers: of what the client sends, spec.ephemeralContainers counts.
void prepare_ephemeral_containers_update(api::Edit pod, View old);
// Instead of the hooks of the kind; metadata was looked at already.
void validate_ephemeral_containers_update(View pod, View old, api::FieldErrors& errors);

// pods/resize: resources and resizePolicy of containers and init containers, and spec.resources.
// Where the lists of containers don't fit, the pod stays as it was sent, and does not pass below.
void prepare_resize(api::Edit pod, View old);
void validate_resize(View pod, View old, api::FieldErrors& errors);

}  // namespace proa::kinds
