#pragma once

#include "apiserver/access/admission/plugin.h"
#include "json/value.h"

namespace proa::apiserver {

// The options of a write as webhooks and expressions see them: CreateOptions, UpdateOptions,
// PatchOptions or DeleteOptions. Null: it has none.
json::Document review_options(const Admission& admission);

}  // namespace proa::apiserver
