#pragma once

#include "json/value.h"

namespace proa::json {

// RFC 7386: objects are merged key by key, null removes a key, everything else replaces. Values are
// copied from the patch.
void apply_merge_patch(Document& document, const Value& patch);

}  // namespace proa::json
