#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

// Names of the fields of a PersistentVolumeSpec one of which says where the volume is.
std::span<const std::string_view> volume_source_names();

// Exactly one of them, and right. `path` is that of the spec.
void validate_volume_source(View spec, std::string_view volume_name, const api::Path& path,
                            api::FieldErrors& errors);

}  // namespace proa::kinds
