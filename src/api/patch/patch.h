#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/schema/model.h"
#include "base/cost/budget.h"
#include "base/result.h"
#include "json/value.h"

namespace proa::api {

enum class PatchType : uint8_t { kJson, kMerge, kStrategic, kApply };

// By the Content-Type of a request, with or without parameters.
std::optional<PatchType> patch_type_from(std::string_view content_type);
std::string_view content_type_of(PatchType type);

// Applies the body of a PATCH request, which is JSON. kBadRequest if it is malformed, kInvalid if
// it cannot be applied to this document, kRequestEntityTooLarge beyond a limit or the budget. On
// failure the document may be partly changed: callers patch a copy. Problems that strict decoding
// reports for the patch itself (`duplicate field "a"`) are added to `strict_problems`, if it is not
// null. REQUIRES: not kApply, and the document's root is an object.
Result<void> apply_patch(PatchType patch_type, json::Document& document, std::string_view body,
                         const Type& type, Budget& budget,
                         std::vector<std::string>* strict_problems = nullptr);
// The same for a patch that is parsed already.
Result<void> apply_patch(PatchType patch_type, json::Document& document, const json::Value& patch,
                         const Type& type, Budget& budget);

}  // namespace proa::api
