#pragma once

#include <functional>
#include <string>

#include "apiserver/representation/openapi/sections.h"

namespace proa::apiserver {

// The Swagger 2.0 document of the whole API as JSON, some megabytes.
std::string openapi_v2_document(std::span<const Section> sections, const CommonTypes& types,
                                std::string_view version);

// The same as gnostic's protobuf message (openapi.v2.Document), which clients request.
std::string openapi_v2_protobuf(std::span<const Section> sections, const CommonTypes& types,
                                std::string_view version);

}  // namespace proa::apiserver
