#pragma once

#include "kinds/rules.h"

namespace proa::kinds::crd {

// Validates a JSONSchemaProps at `path`.
void validate_openapi_schema(View schema, const api::Path& path, api::FieldErrors& errors);
// With the status subresource, only some keywords are allowed at the root of the schema.
void validate_root_schema(View schema, bool has_status, const api::Path& path,
                          api::FieldErrors& errors);

// The unknown formats in a schema, one entry per occurrence.
void find_unknown_formats(View schema, std::vector<std::string>& found);

}  // namespace proa::kinds::crd
