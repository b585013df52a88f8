#pragma once

#include "api/patch/patch.h"
#include "apiserver/resources/call/call.h"
#include "apiserver/resources/write/update.h"

namespace proa::apiserver {

// PATCH: JSON, merge or strategic merge, by the content type. Server-side apply is answered 415.
Result<Written> patch_object(const ApiContext& context, const Call& call, const UpdateRules& rules);

// kUnsupportedMediaType for what is no patch, or not one of ours.
Result<api::PatchType> patch_type(std::string_view content_type);
// What the patch makes of a document, decoded as that type. `is_canonical`: the document is, so
// that only what the patch touched is looked at.
Result<Body> apply_to(const json::Document& old, bool is_canonical, const Payload& patch,
                      const api::Type& type, api::FieldValidation validation);

}  // namespace proa::apiserver
