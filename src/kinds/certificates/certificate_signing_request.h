#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules certificate_signing_request_rules();

// Hooks of the subresource "approval", which sets the conditions Approved and Denied. They replace
// the hooks of the kind. status.conditions is already taken from the client's object.
void prepare_approval_update(api::Edit request, View old, const Writer& writer);
void validate_approval_update(View request, View old, api::FieldErrors& errors);

}  // namespace proa::kinds
