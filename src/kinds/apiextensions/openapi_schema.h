#pragma once

#include "kinds/rules.h"

namespace proa::kinds::crd {

// What a JSONSchemaProps may say at all. `path` is where it stands.
void validate_openapi_schema(View schema, const api::Path& path, api::FieldErrors& errors);
// With the status subresource, only some things may be said at the root.
void validate_root_schema(View schema, bool has_status, const api::Path& path,
                          api::FieldErrors& errors);

// Formats that mean nothing here, each as often as it occurs.
void find_unknown_formats(View schema, std::vector<std::string>& found);

}  // namespace proa::kinds::crd
