#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/schema/model.h"
#include "base/result.h"
#include "json/value.h"

namespace proa::api {

enum class PatchType : uint8_t { kJson, kMerge, kStrategic, kApply };

// By the Content-Type of a request, with or without parameters.
std::optional<PatchType> patch_type_from(std::string_view content_type);
std::string_view content_type_of(PatchType type);
// 415, for other content types.
Status unsupported_patch_type(std::span<const PatchType> accepted);

// Applies the body of a PATCH request, which is JSON. kBadRequest when it is malformed, kInvalid
// when it can't be applied to this document, kRequestEntityTooLarge when it is beyond a limit; the
// document may be changed in part then, so callers patch a copy. What strict decoding would say
// about the patch itself (`duplicate field "a"`) is added to `strict_problems`, if that is not
// null. REQUIRES: not kApply, and the document's root is an object.
Result<void> apply_patch(PatchType patch_type, json::Document& document, std::string_view body,
                         const Type& type, std::vector<std::string>* strict_problems = nullptr);
// The same for a patch that is parsed already.
Result<void> apply_patch(PatchType patch_type, json::Document& document, const json::Value& patch,
                         const Type& type);

}  // namespace proa::api
