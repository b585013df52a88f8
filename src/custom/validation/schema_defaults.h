#pragma once

#include "api/structure/structure.h"
#include "api/validation/field_errors.h"
#include "base/cost/budget.h"
#include "custom/formats/patterns.h"
#include "json/value.h"

namespace proa::custom {

struct DefaultsCheck {
  const json::Value* schema = nullptr;  // a JSONSchemaProps, of a whole object
  int minor_version = 0;                // whose libraries rules may use
  // Whether defaults with unknown fields are errors: not for definitions that had them before.
  bool requires_pruned = true;
};

// The defaults of a schema must be valid values themselves: known fields only, valid metadata, what
// the schema says, its rules (upstream's ValidateDefaults). `path`: of the schema. Fails only if
// the budget is exceeded, or the schema is too large.
Result<void> validate_defaults(const DefaultsCheck& check, const api::Path& path,
                               Patterns& patterns, Budget& budget, api::FieldErrors& errors);

}  // namespace proa::custom
