#pragma once

#include "kinds/rules.h"

namespace proa::kinds::crd {

// With the status subresource, only some keywords are allowed at the root of a schema.
void validate_root_schema(View schema, bool has_status, const api::Path& path,
                          api::FieldErrors& errors);

}  // namespace proa::kinds::crd
