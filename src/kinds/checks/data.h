#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "api/object/view.h"
#include "api/validation/field_errors.h"

namespace proa::kinds {

// The most bytes that a ConfigMap or a Secret may hold, all keys together.
inline constexpr size_t kMaxDataSize = size_t{1} << 20;

// The number of bytes that a base64 text encodes.
size_t size_of_base64(std::string_view text);

// Rejects changes of these fields, and of `immutable` itself, if `immutable` was set.
void validate_frozen_fields(api::View object, api::View old,
                            std::span<const std::string_view> fields, api::FieldErrors& errors);

}  // namespace proa::kinds
