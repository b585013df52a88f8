#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

// The volume source fields of a PersistentVolumeSpec.
std::span<const std::string_view> volume_source_names();

// Exactly one source, and it is valid. `path` is that of the spec.
void validate_volume_source(View spec, std::string_view volume_name, const api::Path& path,
                            api::FieldErrors& errors);

}  // namespace proa::kinds
