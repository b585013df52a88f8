#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules namespace_rules();

// Of spec.finalizers: with a domain, or one of the few known without.
void validate_namespace_finalizer(std::string_view name, const api::Path& path,
                                  api::FieldErrors& errors);
// For the subresource that changes them.
void validate_namespace_finalize(View object, View old, api::FieldErrors& errors);

}  // namespace proa::kinds
