#pragma once

#include <string>

#include "apiserver/representation/openapi/sections.h"

namespace proa::apiserver {

// The OpenAPI 3.0 document of one section, as JSON.
std::string openapi_v3_document(const Section& section, const CommonTypes& types,
                                std::string_view version);

}  // namespace proa::apiserver
