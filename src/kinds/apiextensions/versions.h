#pragma once

#include "kinds/rules.h"

namespace proa::kinds::crd {

// spec.versions: names, schemas, subresources, columns and selectable fields. Upstream stores what
// all versions share once, and reports its errors at "spec.validation", "spec.subresources" and so
// on; so do we.
void validate_versions(View spec, const api::Path& path, api::FieldErrors& errors);

// Empty if no version is the storage version.
std::string_view storage_version(View object);

}  // namespace proa::kinds::crd
