#pragma once

#include "kinds/apiextensions/definition_checks.h"
#include "kinds/rules.h"

namespace proa::kinds::crd {

inline constexpr size_t kMaxSelectableFields = 8;

// spec.versions: names, schemas, subresources, columns and selectable fields.
void validate_versions(View spec, const DefinitionChecks& checks, const api::Path& path,
                       api::FieldErrors& errors);

// Nullopt if no version is the storage version.
std::optional<std::string_view> storage_version(View object);

}  // namespace proa::kinds::crd
