#pragma once

#include "kinds/apiextensions/definition_checks.h"
#include "kinds/apiextensions/validation_rules.h"
#include "kinds/rules.h"

namespace proa::kinds::crd {

// Validates a JSONSchemaProps at `path`. `sound`: adds schemas with rules that have no error.
void validate_openapi_schema(View schema, const DefinitionChecks& checks, const api::Path& path,
                             api::FieldErrors& errors, SoundSchemas& sound);

// What is wrong with a schema itself, without those in it.
bool has_unknown_type(View schema);
bool has_divisible_set(View schema);
bool has_optional_keys(View schema);

// The unknown formats in a schema, one entry per occurrence.
void find_unknown_formats(View schema, std::vector<std::string>& found);

}  // namespace proa::kinds::crd
