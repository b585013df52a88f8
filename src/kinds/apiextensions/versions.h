#pragma once

#include "kinds/rules.h"

namespace proa::kinds::crd {

// spec.versions: their names, schemas, subresources, columns and selectable fields. What all of
// them have in common upstream holds once, and reports at "spec.validation", "spec.subresources"
// and so on; so do we.
void validate_versions(View spec, const api::Path& path, api::FieldErrors& errors);

// Empty where there is none.
std::string_view storage_version(View object);

}  // namespace proa::kinds::crd
