#pragma once

#include "api/structure/structure.h"
#include "base/cost/budget.h"
#include "json/value.h"

namespace proa::custom {

// Sets the defaults of a schema: where a field is missing, or null and not nullable; also those in
// values that are defaults themselves (upstream's defaulting.Default). The budget pays for them: a
// short list could become an enormous one. Fails if it is exceeded.
Result<void> apply_defaults(json::Arena& arena, json::Value& value, const api::Structure& structure,
                            Budget& budget);

}  // namespace proa::custom
