#pragma once

#include <string>

#include "kinds/rules.h"

// Fields that volumes and claims share.

namespace proa::kinds {

inline constexpr std::string_view kStorageClassAnnotation =
    "volume.beta.kubernetes.io/storage-class";

// `required` is the message for an empty list.
void validate_access_modes(View modes, std::string_view required, const api::Path& path,
                           api::FieldErrors& errors);
// "RWO,RWX": each once, in a fixed order.
std::string format_access_modes(View modes);

// The storage class, from the deprecated annotation or from the field.
std::string_view storage_class_of(View object);

}  // namespace proa::kinds
