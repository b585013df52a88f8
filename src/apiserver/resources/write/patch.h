#pragma once

#include "api/patch/patch.h"
#include "apiserver/resources/call/call.h"
#include "apiserver/resources/write/update.h"

namespace proa::apiserver {

// PATCH: JSON, merge or strategic merge, by content type. Server-side apply is answered with 415.
Result<Written> patch_object(const ApiContext& context, const Call& call, const UpdateRules& rules);

// Fails with kUnsupportedMediaType for unknown or unsupported patches.
Result<api::PatchType> patch_type(std::string_view content_type);
// Applies the patch to a document and decodes the result. `is_canonical`: the document is
// canonical, so only members touched by the patch are checked.
Result<Body> apply_to(const json::Document& old, bool is_canonical, const Payload& patch,
                      const api::Type& type, api::FieldValidation validation);

}  // namespace proa::apiserver
