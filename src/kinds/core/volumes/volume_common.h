#pragma once

#include <string>

#include "kinds/rules.h"

// What volumes and claims have in common.

namespace proa::kinds {

inline constexpr std::string_view kStorageClassAnnotation =
    "volume.beta.kubernetes.io/storage-class";

// `required` is what is said where there are none.
void validate_access_modes(View modes, std::string_view required, const api::Path& path,
                           api::FieldErrors& errors);
// "RWO,RWX": each once, in a fixed order.
std::string format_access_modes(View modes);

// The class by annotation, as it once was, or by field.
std::string_view storage_class_of(View object);

}  // namespace proa::kinds
