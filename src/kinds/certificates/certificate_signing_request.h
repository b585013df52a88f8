#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules certificate_signing_request_rules();

// The subresource "approval", through which conditions Approved and Denied come. Instead of the
// hooks of the kind; of what the client sent, status.conditions was taken already.
void prepare_approval_update(api::Edit request, View old, const Writer& writer);
void validate_approval_update(View request, View old, api::FieldErrors& errors);

}  // namespace proa::kinds
