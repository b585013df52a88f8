#pragma once

#include "api/patch/patch.h"
#include "apiserver/resources/call/call.h"
#include "apiserver/resources/write/update.h"

namespace proa::apiserver {

// PATCH: JSON, merge, strategic merge or server-side apply, by content type.
Result<Written> patch_object(const ApiContext& context, const Call& call, const UpdateRules& rules);

// For the audit: the patch as it was sent.
void note_patch(const Call& call);
// Fails with kUnsupportedMediaType for unknown patches, with kInvalid if the options do not agree
// with the type.
Result<api::PatchType> patch_type(const Call& call);
// Applies the patch of the call to a document of that type and decodes the result, which has the
// kind and apiVersion of the type. `is_canonical`: the document is canonical, so only members
// touched by the patch are checked. Warnings go to the request. REQUIRES: the call is no apply.
Result<Body> apply_to(const json::Document& old, bool is_canonical, const Call& call,
                      const api::Type& type, const api::Schema& schema);

}  // namespace proa::apiserver
