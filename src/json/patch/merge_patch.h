#pragma once

#include "json/value.h"

namespace proa::json {

// RFC 7386: objects are merged key by key, null removes a key, everything else replaces. What is
// taken over from the patch is copied.
void apply_merge_patch(Document& document, const Value& patch);

}  // namespace proa::json
