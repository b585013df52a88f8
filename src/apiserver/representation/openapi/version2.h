#pragma once

#include <functional>
#include <string>

#include "apiserver/representation/openapi/sections.h"

namespace proa::apiserver {

// The Swagger 2.0 document of the whole API, as JSON. It is some megabytes.
std::string openapi_v2_document(std::span<const Section> sections, const CommonTypes& types);

// The same as the protobuf message that clients ask for (gnostic's openapi.v2.Document).
std::string openapi_v2_protobuf(std::span<const Section> sections, const CommonTypes& types);

}  // namespace proa::apiserver
