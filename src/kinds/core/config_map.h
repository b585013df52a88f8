#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules config_map_rules();

// What ConfigMaps and Secrets hold may be that large, in bytes, all keys together.
inline constexpr size_t kMaxDataSize = size_t{1} << 20;

// Bytes behind a base64 text.
size_t size_of_base64(std::string_view text);

// `immutable` was set, and one of these fields was changed, or it was taken back.
void validate_frozen_fields(View object, View old, std::span<const std::string_view> fields,
                            api::FieldErrors& errors);

}  // namespace proa::kinds
