#pragma once

#include "apiserver/representation/openapi/schemas/definitions.h"
#include "custom/definition/definition.h"

namespace proa::apiserver {

// Writes the schema of a custom kind as documents show it: that of its definition, with apiVersion,
// kind and metadata. Swagger 2.0 has no word for much of it, which is left out. `metadata`: a
// reference to the type of metadata.
void write_custom_type(JsonText& out, const custom::CustomResource& resource, Dialect dialect,
                       std::string_view metadata);

}  // namespace proa::apiserver
