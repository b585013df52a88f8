#pragma once

#include "kinds/rules.h"

namespace proa::kinds::pods {

// What the server makes of a pod that a user sends, before it is looked at.
void prepare_pod_create(api::Edit pod, const Writer& writer);
void prepare_pod_status_update(api::Edit pod, View old, const Writer& writer);

}  // namespace proa::kinds::pods
