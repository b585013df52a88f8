#pragma once

#include <string>
#include <string_view>

#include "api/patch/patch.h"

namespace proa::api {

// The text of a patched object as upstream's library (evanphx/json-patch) prints it, which messages
// quote: keys are sorted in the objects that the patch enters, and what a merge patch sets is
// written as in the patch. `old` and `patched`: before and after `patch`, which was applied.
// REQUIRES: a JSON or merge patch.
std::string patched_text(PatchType type, const json::Value& old, const json::Value& patched,
                         std::string_view patch);

}  // namespace proa::api
