#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules namespace_rules();

// An entry of spec.finalizers: with a domain, or one of the few known names without.
void validate_namespace_finalizer(std::string_view name, const api::Path& path,
                                  api::FieldErrors& errors);
// validate_status_update of the subresource "finalize".
void validate_namespace_finalize(View object, View old, api::FieldErrors& errors);

}  // namespace proa::kinds
