#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules persistent_volume_rules();

// A PersistentVolumeSpec: of a PersistentVolume, or inline in a VolumeAttachment.
enum class VolumeSpecUse : uint8_t { kVolume, kInline };
void validate_volume_spec(View spec, std::string_view volume_name, VolumeSpecUse use,
                          const api::Path& path, api::FieldErrors& errors);

}  // namespace proa::kinds
