#pragma once

#include "kinds/rules.h"

// The subresources of pods, besides status, that change a part of the spec.

namespace proa::kinds {

// pods/ephemeralcontainers: takes only spec.ephemeralContainers from the client's object.
void prepare_ephemeral_containers_update(api::Edit pod, View old);
// Replaces the hooks of the kind. Metadata is already validated.
void validate_ephemeral_containers_update(View pod, View old, api::FieldErrors& errors);

// pods/resize: resources and resizePolicy of containers and init containers, and spec.resources.
// If the lists of containers differ, keeps the pod as sent, which validate_resize then rejects.
void prepare_resize(api::Edit pod, View old);
void validate_resize(View pod, View old, api::FieldErrors& errors);

}  // namespace proa::kinds
